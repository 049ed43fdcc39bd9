import RecordStore

/// Turns snapshots into changes of a store of this library.
struct SnapshotChanges {
  private let core: ContainerCore
  private let store: StoreBinding
  private var records: [RecordChange] = []
  private var links: [RecordChange] = []

  init(_ core: ContainerCore, _ store: StoreBinding) {
    self.core = core
    self.store = store
  }

  /// Records, then their links.
  var all: [RecordChange] { records + links }

  mutating func insert(_ snapshot: DefaultSnapshot) throws {
    let binding = try binding(of: snapshot)
    records.append(
      .insert(
        entity: binding.entity.number, id: snapshot.persistentIdentifier.recordID,
        fields: fields(snapshot, binding) + (binding.classWrite.map { [$0] } ?? [])))
    for property in binding.description.properties where property.isToMany {
      link(snapshot, property, binding, before: [])
    }
  }

  /// Writes what differs from the store's record.
  mutating func update(_ snapshot: DefaultSnapshot, _ image: RecordImage, _ view: borrowing StoreSnapshot) throws {
    let binding = try binding(of: snapshot)
    let changed = try fields(snapshot, binding).filter { try differs($0, image, binding) }
    if !changed.isEmpty {
      records.append(
        .update(entity: binding.entity.number, id: snapshot.persistentIdentifier.recordID, fields: changed))
    }
    for property in binding.description.properties where property.isToMany {
      let before = try view.related(
        snapshot.persistentIdentifier.recordID, of: binding.entity.number, relationship: property.storedName)
      link(snapshot, property, binding, before: Set(before))
    }
  }

  /// Whether a value is another one than the record's. Nil is refused over a value that is not on this device: where
  /// the snapshot went through other objects, nil may be what these have read for it.
  private func differs(_ write: FieldWrite, _ image: RecordImage, _ binding: EntityBinding) throws -> Bool {
    let field = binding.entity.fields[write.ordinal]
    let stored = image.withView { $0.storedValue(of: field) }
    if let value = stored.resolved { return write.value != value }
    guard write.value != .null else {
      throw StoreError(
        .invalidRequest,
        "the large value of \(binding.description.name).\(field.name) is not on this device, and nil may stand for "
          + "that: leave the property out, or set it to nil in a context of the store's own container")
    }
    return !write.value.isSame(asStored: stored)
  }

  mutating func delete(_ id: RecordID, _ binding: EntityBinding) {
    records.append(.delete(entity: binding.entity.number, id: id))
  }

  private func binding(of snapshot: DefaultSnapshot) throws -> EntityBinding {
    if let binding = core.binding(named: snapshot.persistentIdentifier.entityName), binding.store === store {
      return binding
    }
    throw SwiftDataError(
      .unknownDataStoreSchema,
      "the data store \(store.configuration.name) has no class \(snapshot.persistentIdentifier.entityName)")
  }

  private func fields(_ snapshot: DefaultSnapshot, _ binding: EntityBinding) -> [FieldWrite] {
    binding.storedIndexes.compactMap { index in
      let property = binding.description.properties[index]
      switch snapshot.values[property.name] {
      case .attribute(let value): return FieldWrite(binding.ordinals[index], value)
      case .toOne(let target):
        return FieldWrite(binding.ordinals[index], target.map { .reference($0.recordID) } ?? .null)
      case .toMany, nil: return nil
      }
    }
  }

  /// A to-many relationship that no reference on the other side says: many to many, and one without an inverse.
  private mutating func link(
    _ snapshot: DefaultSnapshot, _ property: PropertyDescription, _ binding: EntityBinding, before: Set<RecordID>
  ) {
    guard case .toMany(let members) = snapshot.values[property.name] else { return }
    let id = snapshot.persistentIdentifier.recordID
    let after = Set(members.map(\.recordID))
    let (gone, come) = (before.subtracting(after).sorted(), after.subtracting(before).sorted())
    switch binding.relationships[property.index]?.storage {
    case .join:
      for (others, isLinked) in [(gone, false), (come, true)] {
        links += others.map {
          .link(entity: binding.entity.number, id: id, relationship: property.storedName, other: $0, isLinked: isLinked)
        }
      }
    case .inverse(let entity, let ordinal) where binding.description.inverse(of: property.index) == nil:
      links += gone.map { .update(entity: entity, id: $0, fields: [FieldWrite(ordinal, .null)]) }
      links += come.map { .update(entity: entity, id: $0, fields: [FieldWrite(ordinal, .reference(id))]) }
    case .inverse, .reference, nil: return
    }
  }
}
