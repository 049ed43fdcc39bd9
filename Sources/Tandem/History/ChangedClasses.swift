import RecordStore

/// The classes of changed records' objects: a change names the entity, which several classes may share. With them the
/// ends of the links that changed, which lie in records of no class.
struct ChangedClasses {
  private let core: ContainerCore
  private let store: StoreBinding
  private var known: [RecordID: EntityBinding] = [:]
  private var links: [RecordID: ChangedLink] = [:]
  private var linkProperties = LinkProperties([])

  /// Knows no more than the entities.
  init(in store: StoreBinding, _ core: ContainerCore) {
    self.core = core
    self.store = store
  }

  /// Looks at the records as they are now; the class of a deleted one is in its tombstone. None where no class of the
  /// changes has a superclass or a subclass, and no link is among them; else a look-up for each of those, and one for
  /// each end of a link.
  ///
  /// - Parameter readsLinks: Whether the ends of links are asked for.
  init(
    _ changes: some Sequence<StoreChange>, in store: StoreBinding, _ core: ContainerCore, readsLinks: Bool = false
  ) throws {
    self.init(in: store, core)
    let hasLinks = readsLinks && core.hasLinks(in: store.index)
    guard core.hasHierarchies || hasLinks else { return }
    var (open, linked): ([RecordID: EntityNumber], [RecordID: EntityNumber]) = ([:], [:])
    for change in changes {
      if hasLinks, core.holdsLinks(change.entity, in: store.index) { linked[change.id] = change.entity }
      guard let family = core.binding(of: change.entity, in: store.index)?.family else { continue }
      if let binding = family.binding(of: change.preserved) {
        known[change.id] = binding
      } else {
        open[change.id] = change.entity
      }
    }
    try readLinks(linked, addingTo: &open)
    for id in known.keys { open[id] = nil }
    if open.isEmpty { return }
    let found = try store.store.read { snapshot in
      try open.compactMap { id, entity -> (RecordID, EntityBinding)? in
        guard let row = try snapshot.row(id, of: entity) else { return nil }
        return core.binding(of: entity, in: store.index).map { (row.id, $0.binding(of: row.view)) }
      }
    }
    for (id, binding) in found { known[id] = binding }
  }

  /// - Parameter open: Gets the ends whose class is still to be looked up.
  private mutating func readLinks(
    _ linked: [RecordID: EntityNumber], addingTo open: inout [RecordID: EntityNumber]
  ) throws {
    if linked.isEmpty { return }
    linkProperties = LinkProperties(core.bindings(in: store.index))
    let found = try store.store.read { snapshot in
      try linked.compactMap { try ChangedLink($0.key, of: $0.value, in: snapshot) }
    }
    for link in found {
      links[link.id] = link
      for (side, end) in link.ends.enumerated() {
        guard let binding = linkProperties.property(side, of: link.entity, nil)?.binding, binding.family != nil else {
          continue
        }
        open[end.canonical] = binding.entity.number
      }
    }
  }

  /// The links among changes of which the store knows the ends, with their places.
  func links(in changes: [StoreChange]) -> [(place: Int, link: ChangedLink)] {
    if links.isEmpty { return [] }
    return changes.indices.compactMap { place in links[changes[place].id].map { (place, $0) } }
  }

  /// The property that shows links on one of their sides, with the class of the object there.
  func property(
    _ side: Int, of entity: EntityNumber, _ id: RecordID
  ) -> (binding: EntityBinding, index: Int)? { linkProperties.property(side, of: entity, known[id]) }

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
