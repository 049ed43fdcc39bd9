import RecordStore

/// The next state of live results: all anew, or with a few objects taken out and others put in. The latter costs next
/// to nothing for all that stay.
enum NextResults<Element: PersistentModel> {
  case all([Element])
  case edited(ListEdit, [Element])

  func identifiers(after former: [RecordID]) -> [RecordID] {
    switch self {
    case .all(let elements): return Self.identifiers(of: elements)
    case .edited(let edit, let others):
      var identifiers = former
      edit.apply(to: &identifiers, Self.identifiers(of: others))
      return identifiers
    }
  }

  func elements(after former: [Element]) -> [Element] {
    var elements = former
    replace(&elements)
    return elements
  }

  /// In place where nobody else holds the former results.
  func replace(_ elements: inout [Element]) {
    switch self {
    case .all(let found): elements = found
    case .edited(let edit, let others): edit.apply(to: &elements, others)
    }
  }

  /// Whether another object stands for a record. Asked where the records and their order stay the same.
  func replacesObjects(of former: [Element]) -> Bool {
    switch self {
    case .all(let elements): !elements.elementsEqual(former, by: ===)
    case .edited(let edit, let others): zip(edit.removals, others).contains { former[$0] !== $1 }
    }
  }

  /// In a loop: a key path in its place is walked at run time, because it leads through the class's own storage, and
  /// took longer than the fetch.
  private static func identifiers(of models: [Element]) -> [RecordID] {
    var identifiers: [RecordID] = []
    identifiers.reserveCapacity(models.count)
    for model in models { identifiers.append(model._$storage.recordID) }
    return identifiers
  }
}

extension [RecordID] {
  /// Where some records stand, rising. A few bits of an id tell most of the others apart, without hashing them.
  func places(of ids: Set<RecordID>) -> [Int] {
    guard !ids.isEmpty else { return [] }
    var bits: UInt64 = 0
    for id in ids { bits |= id.bit }
    return indices.filter { self[$0].bit & bits != 0 && ids.contains(self[$0]) }
  }
}

extension RecordID {
  /// One of 64, by its random bits.
  fileprivate var bit: UInt64 { 1 << (low & 63) }
}
