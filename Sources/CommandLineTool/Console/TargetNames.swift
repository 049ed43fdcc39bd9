import RecordStore

/// Names of records that others lead to, looked up once each: people know a record by its name, not by its id.
struct TargetNames {
  private let isWanted: Bool
  private var names: [RecordID: String?] = [:]

  init(isWanted: Bool) { self.isWanted = isWanted }

  mutating func note(_ value: FieldValue, _ field: CatalogueField, in snapshot: borrowing StoreSnapshot) throws {
    guard case .reference(let id) = value, let destination = field.destination else { return }
    try note(id, of: destination, in: snapshot)
  }

  mutating func note(_ id: RecordID, of destination: String, in snapshot: borrowing StoreSnapshot) throws {
    guard isWanted, names[id] == nil else { return }
    names[id] = .some(nil)
    for entity in snapshot.catalogue.heirs(of: destination) {
      guard let record = try snapshot.image(id, of: entity.number) else { continue }
      names[id] = RecordName.text(of: record, in: snapshot.catalogue)
      return
    }
  }

  /// The name of a record that was noted; nil where it has none.
  func name(of id: RecordID) -> String? { names[id] ?? nil }

  /// `Food 0191…`: the name stands first, so that a narrow table keeps it.
  func text(of value: FieldValue) -> String {
    guard case .reference(let id) = value, let name = name(of: id) else { return DisplayText.value(value) }
    return "\(name) \(id)"
  }
}

extension Catalogue {
  /// The entity of a name, and those that inherit from it.
  func heirs(of name: String) -> [CatalogueEntity] {
    entities.filter { entity in
      // No longer than there are entities, should a catalogue contradict itself.
      var next: CatalogueEntity? = entity
      for _ in entities {
        guard let entity = next else { return false }
        if entity.name == name { return true }
        next = entity.superentity.flatMap { self.entity(named: $0) }
      }
      return false
    }
  }
}
