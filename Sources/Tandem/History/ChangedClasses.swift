import RecordStore

/// The classes of changed records' objects: a change names the entity, which several classes may share.
struct ChangedClasses {
  private let core: ContainerCore
  private let store: StoreBinding
  private var known: [RecordID: EntityBinding] = [:]

  /// Knows no more than the entities.
  init(in store: StoreBinding, _ core: ContainerCore) {
    self.core = core
    self.store = store
  }

  /// Looks at the records as they are now; the class of a deleted one is in its tombstone. One read, and none where no
  /// class of the changes has a superclass or a subclass.
  init(_ changes: some Sequence<StoreChange>, in store: StoreBinding, _ core: ContainerCore) throws {
    self.init(in: store, core)
    guard core.hasHierarchies else { return }
    var open: [RecordID: EntityNumber] = [:]
    for change in changes {
      guard let family = core.binding(of: change.entity, in: store.index)?.family else { continue }
      if let binding = family.binding(of: change.preserved) {
        known[change.id] = binding
      } else {
        open[change.id] = change.entity
      }
    }
    for id in known.keys { open[id] = nil }
    if open.isEmpty { return }
    let images = try store.store.read { snapshot in
      try open.compactMap { try snapshot.row($0.key, of: $0.value)?.image() }
    }
    for image in images { known[image.id] = core.binding(of: image.entity, in: store.index)?.binding(of: image) }
  }

  /// Nil for records that no class shows, such as the links of many-to-many relationships. The root of a hierarchy
  /// where the record is gone without a word of its class.
  func binding(of change: StoreChange) -> EntityBinding? { binding(of: change.id, change.entity) }

  private func binding(of id: RecordID, _ entity: EntityNumber) -> EntityBinding? {
    known[id] ?? core.binding(of: entity, in: store.index)
  }

  func identifier(of change: StoreChange) -> PersistentIdentifier? { identifier(of: change.id, change.entity) }

  /// As ``identifier(of:)``, for one of many changes: a change copied counts references of its arrays.
  func identifier(of id: RecordID, _ entity: EntityNumber) -> PersistentIdentifier? {
    binding(of: id, entity).map {
      PersistentIdentifier(recordID: id, entityName: $0.description.name, storeIdentifier: store.identifier)
    }
  }
}
