import RecordStore

/// The changes in a context since somebody last asked: objects that were inserted, set, deleted or taken in, saved or
/// not. A context without a watch keeps none of it.
final class ContextWatch {
  /// Records of the objects that changed, by entity.
  private var touched: [ObjectIdentifier: Set<RecordID>] = [:]
  /// More changed than was listed: a rollback, an erased store, an identifier that became another.
  private(set) var isAll = false
  /// Whether the changes of a class count.
  let isRelevant: (EntityBinding) -> Bool
  /// Whether links of many-to-many relationships in a store count: they are in no object's record.
  let followsLinks: (_ store: Int) -> Bool
  /// Whether a save changes what is seen: not where unsaved changes are seen.
  private let followsSaves: Bool
  private let notify: () -> Void
  private var isNotified = false

  /// - Parameters:
  ///   - followsSaves: Whether a save changes what is seen: not where unsaved changes are seen.
  ///   - isRelevant: Whether the changes of a class count.
  ///   - followsLinks: Whether links of many-to-many relationships in a store count.
  ///   - notify: Called at the first change that counts after a ``drain()``, before the change is whole.
  init(
    followsSaves: Bool, isRelevant: @escaping (EntityBinding) -> Bool, followsLinks: @escaping (_ store: Int) -> Bool,
    notify: @escaping () -> Void
  ) {
    self.followsSaves = followsSaves
    self.isRelevant = isRelevant
    self.followsLinks = followsLinks
    self.notify = notify
  }

  var isEmpty: Bool { touched.isEmpty && !isAll }

  func touch(_ id: RecordID, _ binding: EntityBinding) {
    if isRelevant(binding) { touchRelevant(id, binding) }
  }

  /// As ``touch(_:_:)``, of a class that is known to count.
  func touchRelevant(_ id: RecordID, _ binding: EntityBinding) {
    touched[binding.entityKey, default: []].insert(id)
    // The results may have been looked at meanwhile, before the change is whole.
    if tell() { touched[binding.entityKey, default: []].insert(id) }
  }

  /// The records that changed in the entity of a class.
  func touched(_ binding: EntityBinding) -> Set<RecordID> { touched[binding.entityKey] ?? [] }

  func touchAll() {
    isAll = true
    if tell() { isAll = true }
  }

  /// The context has saved.
  func noteSave() {
    if followsSaves { touchAll() }
  }

  func drain() {
    touched = [:]
    isAll = false
    isNotified = false
  }

  /// False if that is done already.
  private func tell() -> Bool {
    guard !isNotified else { return false }
    isNotified = true
    notify()
    return true
  }
}

extension EntityBinding {
  /// One for all classes whose records lie in one entity: what changes there does not always say of which class it is.
  fileprivate var entityKey: ObjectIdentifier { family.map { ObjectIdentifier($0) } ?? ObjectIdentifier(self) }
}

extension ModelContext {
  var watches: [ContextWatch] {
    guard link.isWatched else { return [] }
    let living = link.watches.compactMap(\.watch)
    // From here on a change costs nothing again.
    if living.isEmpty { link.watches = [] }
    return living
  }

  func add(_ watch: ContextWatch) {
    link.watches.removeAll { $0.watch == nil }
    link.watches.append(ContextLink.Watch(watch: watch))
  }

  /// The object of a record changed, or came, or went.
  func noteTouch(_ id: RecordID, _ binding: EntityBinding) {
    for watch in watches { watch.touch(id, binding) }
  }

  /// A property is about to be set.
  func follow(_ index: Int, of model: any PersistentModel) {
    noteUndo(index, of: model)
    noteTouch(of: model)
    scheduleAutosave()
  }

  func noteTouch(of model: any PersistentModel) {
    guard link.isWatched, let binding = model._$storage.binding else { return }
    noteTouch(model._$storage.recordID, binding)
  }

  func noteTouchOfAll() {
    guard link.isWatched else { return }
    for watch in watches { watch.touchAll() }
  }
}
