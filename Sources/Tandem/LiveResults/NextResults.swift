import RecordStore

/// The next state of live results: all anew, or with a few objects taken out and others put in. The latter costs next
/// to nothing for all that stay.
struct NextResults<Element: PersistentModel> {
  /// Nil for results that are all anew.
  private let edit: ListEdit?
  /// All, or those that the edit puts in.
  private let coming: [Element]
  private let identifiers: [RecordID]

  init(all elements: [Element]) { self.init(nil, elements) }

  init(_ edit: ListEdit?, _ coming: [Element]) {
    self.edit = edit
    self.coming = coming
    // In a loop: a key path in its place is walked at run time, because it leads through the class's own storage, and
    // took longer than the fetch.
    var identifiers: [RecordID] = []
    identifiers.reserveCapacity(coming.count)
    for model in coming { identifiers.append(model._$storage.recordID) }
    self.identifiers = identifiers
  }

  /// How the results change, of whose objects some changed, too.
  func difference(from former: [RecordID], touched: Set<RecordID>) -> ResultsDifference {
    guard let edit else {
      return ResultsDifference(from: former, to: identifiers, updated: identifiers.places(of: touched))
    }
    return ResultsDifference(edit, of: former, coming: identifiers, updated: touched)
  }

  /// The objects after these.
  func elements(after former: [Element]) -> [Element] {
    var elements = former
    replace(&elements)
    return elements
  }

  /// In place where nobody else holds the former results.
  func replace(_ elements: inout [Element]) {
    if let edit { edit.apply(to: &elements, coming) } else { elements = coming }
  }

  func replace(_ places: inout ResultPlaces) {
    if let edit { places.apply(edit, identifiers) } else { places = ResultPlaces(identifiers) }
  }

  /// Whether another object stands for a record. Asked where the records and their order stay the same.
  func replacesObjects(of former: [Element]) -> Bool {
    guard let edit else { return !coming.elementsEqual(former, by: ===) }
    return zip(edit.removals, coming).contains { former[$0] !== $1 }
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
