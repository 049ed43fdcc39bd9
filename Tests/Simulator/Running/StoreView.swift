import RecordStore

/// What one snapshot of a store shows: whose transactions it has, and every visible record.
struct StoreView: Hashable, Sendable {
  var vector: [UInt64: UInt64] = [:]
  /// By entity and id; references as readers see them, large values by their names.
  var records: [String: [RecordID: [String: FieldValue]]] = [:]
  /// By the name of the join: the ends of each visible link.
  var links: [String: Set<[RecordID]>] = [:]

  static func read(_ store: RecordStore) throws -> StoreView {
    try store.read { snapshot in
      var view = StoreView()
      for (replica, entry) in try snapshot.versionVector.entries where entry.sequence > 0 {
        view.vector[replica.value] = entry.sequence
      }
      for entity in snapshot.catalogue.entities where entity.isDeclared {
        for id in try snapshot.identifiers(RecordQuery(entity: entity.number)) {
          guard let image = try snapshot.record(id, of: entity.number) else { continue }
          view.add(image, entity)
        }
      }
      return view
    }
  }

  private mutating func add(_ image: RecordImage, _ entity: CatalogueEntity) {
    var values: [String: FieldValue] = [:]
    for field in entity.fields where field.isDeclared {
      let isDangling = field.type == .reference && image.withView { $0.isNull(at: field.ordinal) }
      values[field.name] = isDangling ? .null : image.withView { $0.storedValue(of: field) }.named
    }
    guard entity.isJoin else {
      records[entity.name, default: [:]][image.id] = values
      return
    }
    let ends = ["left", "right"].compactMap { name -> RecordID? in
      if case .reference(let id)? = values[name] { id } else { nil }
    }
    links[entity.name, default: []].insert(ends)
  }

  /// As the oracle has it.
  init(_ state: OracleState, vector: [UInt64: UInt64]) {
    self.vector = vector
    for entity in state.schema.entities {
      let found = state.records(of: entity.name)
      guard !found.isEmpty else { continue }
      if entity.isJoin {
        let ends = found.values.map { values in
          ["left", "right"].compactMap { name -> RecordID? in
            if case .reference(let id)? = values[name] { id } else { nil }
          }
        }
        links[entity.name] = Set(ends)
      } else {
        records[entity.name] = found
      }
    }
  }

  init() {}
}

// Comparing.
extension StoreView {
  struct Difference {
    var isOfLife: Bool
    var text: String
  }

  /// The first difference from what should be seen; nil if there is none. `name` gives ids their names.
  func difference(from expected: StoreView, name: (RecordID) -> String) -> Difference? {
    for entity in Set(records.keys).union(expected.records.keys).sorted() {
      let (found, wanted) = (records[entity] ?? [:], expected.records[entity] ?? [:])
      for id in Set(found.keys).union(wanted.keys).sorted() {
        guard let seen = found[id] else { return .init(isOfLife: true, text: "\(entity) \(name(id)) is not visible") }
        guard let right = wanted[id] else { return .init(isOfLife: true, text: "\(entity) \(name(id)) is visible") }
        for field in right.keys.sorted() where seen[field] != right[field] {
          return .init(
            isOfLife: false,
            text: "\(entity) \(name(id)).\(field) is \(StoreView.text(seen[field], name)), expected "
              + StoreView.text(right[field], name))
        }
      }
    }
    for join in Set(links.keys).union(expected.links.keys).sorted() where links[join] != expected.links[join] {
      let (found, wanted) = (StoreView.text(links[join], name), StoreView.text(expected.links[join], name))
      return .init(isOfLife: true, text: "links \(join) are \(found), expected \(wanted)")
    }
    return nil
  }

  private static func text(_ links: Set<[RecordID]>?, _ name: (RecordID) -> String) -> [String] {
    (links ?? []).map { $0.map(name).joined(separator: "–") }.sorted()
  }

  private static func text(_ value: FieldValue?, _ name: (RecordID) -> String) -> String {
    switch value {
    case .reference(let id): name(id)
    case nil: "missing"
    case let value?: "\(value)"
    }
  }
}
