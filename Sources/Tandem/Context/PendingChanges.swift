import RecordStore

/// A context's changes since its last save. Holds the objects, so that nobody else needs to, or what a save needs of
/// them.
struct PendingChanges {
  /// In the order of insertion. An object deleted again stays listed for a while; its flags tell.
  var inserted: [any PersistentModel] = []
  /// Objects of the store with set properties or links.
  var changed: [any PersistentModel] = []
  /// Objects of the store.
  var deleted: [any PersistentModel] = []
  /// Whether an object may be listed twice, because it left, came back and left again, or came again.
  var mayRepeat = false
  /// How many objects left ``inserted`` since it was last looked through for such.
  var leftCount = 0
  /// How many of ``inserted`` have had their turn to be packed, and the memory of their drafts.
  var packedCount = 0
  var drafts: DraftMemory?
  /// Those that were inserted, and that nobody else held; nil without any. Only ``ModelContext/pendingLists`` has some.
  var unheld: UnheldInserts?
  /// Whether no object may go until the next save or rollback. Once all were made again, as an app that looks between
  /// inserts looks again; or once it was found to hold each of many.
  var keepsAll = false

  /// Whether a save would have something to do: the first object that counts answers.
  var isLive: Bool {
    hasInserted && (unheld != nil || inserted.contains { $0._$storage.flags.contains(.inserted) })
      || changed.contains { $0._$storage.flags.isDisjoint(with: [.deleted, .gone]) }
      || deleted.contains { $0._$storage.flags.contains(.deleted) }
  }

  var isEmpty: Bool { !hasInserted && changed.isEmpty && deleted.isEmpty }
  /// Whether any object was inserted, even if it left again.
  var hasInserted: Bool { !inserted.isEmpty || unheld != nil }
  var liveInserted: [any PersistentModel] { distinct.inserted.filter { $0._$storage.flags.contains(.inserted) } }
  var liveChanged: [any PersistentModel] {
    distinct.changed.filter { $0._$storage.flags.isDisjoint(with: [.deleted, .gone]) }
  }
  var liveDeleted: [any PersistentModel] { distinct.deleted.filter { $0._$storage.flags.contains(.deleted) } }

  /// The changes with each object once in a list, where it came last.
  var distinct: PendingChanges {
    guard mayRepeat else { return self }
    func lastOfEach(_ models: [any PersistentModel]) -> [any PersistentModel] {
      var seen: Set<ObjectIdentifier> = []
      return models.reversed().filter { seen.insert(ObjectIdentifier($0)).inserted }.reversed()
    }
    return PendingChanges(
      inserted: lastOfEach(inserted), changed: lastOfEach(changed), deleted: lastOfEach(deleted))
  }

  /// Takes inserted objects off the list that left again. One that keeps others stays, for the save ends that: two that
  /// are linked with each other would keep themselves.
  mutating func dropLeft() {
    inserted = distinct.inserted.filter { $0._$storage.flags.contains(.inserted) || $0._$storage.keepsOthers }
    leftCount = 0
    // Those that were packed are passed over.
    packedCount = 0
  }

  /// Another object stands for the record of one that changed or was deleted.
  mutating func replace(_ model: any PersistentModel, by other: any PersistentModel, keepsChanges: Bool) {
    if let place = changed.firstIndex(where: { $0 === model }) {
      if keepsChanges { changed[place] = other } else { changed.remove(at: place) }
    }
    if let place = deleted.firstIndex(where: { $0 === model }) { deleted[place] = other }
  }
}
