import RecordStore

/// Drafts of the records of inserted objects that nobody but their context held: all that a save needs of them.
///
/// Such an object cannot be told from one that is made of its draft later. So the context lets go of it, and takes a
/// third of the memory for it: the object, its storage and its places among the context's objects are as large as two
/// records. Whatever looks at what is pending, or asks for one of them, has all of them made again
/// (``ModelContext/pending``); only a save and a rollback do without.
struct UnheldInserts {
  /// In the order of insertion.
  private(set) var drafts = RecordDrafts()
  /// The class of each entity's drafts.
  private var bindings: [EntityNumber: EntityBinding] = [:]
  private var last: EntityBinding?
  /// Where drafts follow on objects that stayed.
  private var turns: [Turn] = []
  /// Between these all their ids lie.
  private var lowest = RecordID(high: .max, low: .max)
  private var highest = RecordID(high: 0, low: 0)
  /// Whether objects may go. Once all were made again, others stay: an app that looks between inserts looks again. They
  /// stay, too, once the app was found to hold every one of many.
  private(set) var isOpen = true
  static let enoughHeld = 64

  private struct Turn {
    /// So many objects that stayed were inserted before the draft of this number.
    let objectCount: Int
    let draftCount: Int
  }

  /// Objects that stayed, then drafts, by their places.
  struct Stretch {
    let objects: Range<Int>
    let drafts: Range<Int>
  }

  var isEmpty: Bool { drafts.count == 0 }
  var count: Int { drafts.count }
  /// Whether all drafts come before all objects that stayed.
  var areFirst: Bool { turns.count == 1 && turns[0].objectCount == 0 }

  /// Those that went are all, until the next save or rollback.
  mutating func close() { isOpen = false }

  /// Adds an object's draft, behind so many objects that stayed. False, with nothing changed, where that cannot be.
  mutating func append(_ storage: ModelStorage, behind objectCount: Int) -> Bool {
    guard let binding = storage.binding, let piece = storage.piece,
      drafts.append(storage.recordID, binding.draft, storage.view, in: piece)
    else { return false }
    if turns.last?.objectCount != objectCount {
      turns.append(Turn(objectCount: objectCount, draftCount: drafts.count - 1))
    }
    if last !== binding {
      last = binding
      bindings[binding.entity.number] = binding
    }
    lowest = min(lowest, storage.recordID)
    highest = max(highest, storage.recordID)
    return true
  }

  /// Whether one of them may have this id.
  func mayHold(_ id: RecordID) -> Bool { (lowest...max(lowest, highest)).contains(id) && !isEmpty }

  /// All that was inserted, in its order, where `objectCount` objects stayed.
  func stretches(beside objectCount: Int) -> [Stretch] {
    guard let first = turns.first else { return [Stretch(objects: 0..<objectCount, drafts: 0..<0)] }
    var found = [Stretch(objects: 0..<first.objectCount, drafts: 0..<0)]
    for (index, turn) in turns.enumerated() {
      let next = index + 1 < turns.count ? turns[index + 1] : Turn(objectCount: objectCount, draftCount: drafts.count)
      let former = found[found.count - 1]
      found[found.count - 1] = Stretch(objects: former.objects, drafts: turn.draftCount..<next.draftCount)
      found.append(Stretch(objects: turn.objectCount..<next.objectCount, drafts: 0..<0))
    }
    return found
  }

  /// The classes that the drafts are of.
  var classes: some Collection<EntityBinding> { bindings.values }

  /// The objects of some drafts, made anew for the context of a link.
  func objects(_ range: Range<Int>, _ link: ContextLink) -> [any PersistentModel] {
    var models: [any PersistentModel] = []
    models.reserveCapacity(range.count)
    drafts.forEachDraft(in: range) { id, entity, draft, piece in
      guard let binding = bindings[entity] else { preconditionFailure("each draft was added with its class") }
      models.append(binding.make(.passRetained(.packed(draft, in: piece, binding, id, link))))
    }
    return models
  }
}

extension ModelContext {
  /// How many inserted objects the context has let go of. For tests.
  package var unheldCount: Int { pendingLists.unheld.count }

  /// The changes since the last save, with an object for each. Those that the context let go of are made again.
  var pending: PendingChanges {
    makeUnheldAgain()
    return pendingLists
  }

  /// The object of an identifier, as far as it is in memory or was and nobody held it.
  func registered(_ id: RecordID) -> (any PersistentModel)? {
    if let model = map[id] { return model }
    guard pendingLists.unheld.mayHold(id) else { return nil }
    makeUnheldAgain()
    return map[id]
  }

  func makeUnheldAgain() {
    guard !pendingLists.unheld.isEmpty else { return }
    let lists = pendingLists
    var inserted: [any PersistentModel] = []
    inserted.reserveCapacity(lists.inserted.count + lists.unheld.count)
    map.reserve(lists.unheld.count)
    for stretch in lists.unheld.stretches(beside: lists.inserted.count) {
      inserted += lists.inserted[stretch.objects]
      for model in lists.unheld.objects(stretch.drafts, link) {
        map.insert(model, model._$storage.recordID)
        inserted.append(model)
      }
    }
    pendingLists.inserted = inserted
    pendingLists.packedCount += lists.unheld.count
    pendingLists.unheld = UnheldInserts()
    pendingLists.unheld.close()
  }

  /// Lets go of those of some packed objects that nobody else holds.
  func letGoOfUnheld(in range: Range<Int>) {
    // A watch or an undo manager may hear of an object at any time.
    guard pendingLists.unheld.isOpen, core.stores.count == 1, !link.isFollowed else { return }
    var models = pendingLists.inserted[range].map { Optional($0) }
    pendingLists.inserted.removeSubrange(range)
    var staying: [any PersistentModel] = []
    var mayGoCount = 0
    // Until all is whole again, for their `deinit` may ask the context for others.
    var leaving: ContiguousArray<any PersistentModel> = []
    for place in models.indices {
      guard let storage = models[place]?._$storage else { continue }
      guard storage.isPacked, !storage.isObserved, !storage.isLent, map[storage.recordID] === models[place],
        storage.description.keepsNothingElse(models[place])
      else {
        models[place].map { staying.append($0) }
        continue
      }
      mayGoCount += 1
      models[place] = nil
      let isUnheld =
        map.isOnlyHolder(of: storage.recordID)
        && pendingLists.unheld.append(storage, behind: range.lowerBound + staying.count)
      guard let model = map[storage.recordID] else { continue }
      if isUnheld {
        leaving.append(model)
        map.remove(storage.recordID)
      } else {
        staying.append(model)
      }
    }
    pendingLists.inserted.insert(contentsOf: staying, at: range.lowerBound)
    pendingLists.packedCount = range.lowerBound + staying.count
    if mayGoCount >= UnheldInserts.enoughHeld, leaving.isEmpty { pendingLists.unheld.close() }
    withExtendedLifetime(leaving) {}
  }
}
