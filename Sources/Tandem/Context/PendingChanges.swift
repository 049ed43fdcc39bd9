/// A context's changes since its last save. Holds the objects, so that nobody else needs to.
struct PendingChanges {
  /// In the order of insertion. An object deleted again stays listed; its flags tell.
  var inserted: [any PersistentModel] = []
  /// Objects of the store with set properties or links.
  var changed: [any PersistentModel] = []
  /// Objects of the store.
  var deleted: [any PersistentModel] = []

  /// Whether a save would have something to do: the first object that counts answers.
  var isLive: Bool {
    inserted.contains { $0._$storage.flags.contains(.inserted) }
      || changed.contains { $0._$storage.flags.isDisjoint(with: [.deleted, .gone]) }
      || deleted.contains { $0._$storage.flags.contains(.deleted) }
  }

  var isEmpty: Bool { inserted.isEmpty && changed.isEmpty && deleted.isEmpty }
  var liveInserted: [any PersistentModel] { inserted.filter { $0._$storage.flags.contains(.inserted) } }
  var liveChanged: [any PersistentModel] {
    changed.filter { $0._$storage.flags.isDisjoint(with: [.deleted, .gone]) }
  }
  var liveDeleted: [any PersistentModel] { deleted.filter { $0._$storage.flags.contains(.deleted) } }

  var liveCount: Int { liveInserted.count + liveChanged.count + liveDeleted.count }

  /// Another object stands for the record of one that changed or was deleted.
  mutating func replace(_ model: any PersistentModel, by other: any PersistentModel) {
    if let place = changed.firstIndex(where: { $0 === model }) { changed[place] = other }
    if let place = deleted.firstIndex(where: { $0 === model }) { deleted[place] = other }
  }
}
