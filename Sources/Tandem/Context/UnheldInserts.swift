import RecordStore

/// Drafts of the records of inserted objects that nobody but their context held: all that a save needs of them.
///
/// Such an object cannot be told from one that is made of its draft later. So the context lets go of it, and spares the
/// memory of the object, of its storage and of its places among the context's objects (`tools/bench --only memory`).
/// Whatever looks at what is pending, or asks for one of them, has all of them made again (``ModelContext/pending``);
/// only a save and a rollback do without.
final class UnheldInserts {
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
  /// If so many objects could go and each is held, the app holds what it inserts.
  static let enoughHeld = 64

  private struct Turn {
    /// So many objects that stayed were inserted before the draft of this number.
    let objectCount: Int
    let draftCount: Int
  }

  /// Drafts, then objects that stayed, by their places.
  struct Stretch {
    let objects: Range<Int>
    let drafts: Range<Int>
  }

  var count: Int { drafts.count }
  /// Whether all drafts come before all objects that stayed.
  var areFirst: Bool { turns.count == 1 && turns[0].objectCount == 0 }

  /// Adds an object's draft, behind so many objects that stayed. False, with nothing changed, where that cannot be.
  func append(_ storage: ModelStorage, behind objectCount: Int) -> Bool {
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
  func mayHold(_ id: RecordID) -> Bool { lowest <= id && id <= highest }

  /// All that was inserted, in its order, where `objectCount` objects stayed.
  func stretches(beside objectCount: Int) -> [Stretch] {
    var found: [Stretch] = []
    var next = Turn(objectCount: 0, draftCount: 0)
    for following in turns + [Turn(objectCount: objectCount, draftCount: drafts.count)] {
      found.append(
        Stretch(objects: next.objectCount..<following.objectCount, drafts: next.draftCount..<following.draftCount))
      next = following
    }
    return found
  }

  /// The classes that the drafts are of.
  var classes: some Collection<EntityBinding> { bindings.values }

  /// The objects of all drafts, made anew for the context of a link.
  func objects(_ link: ContextLink) -> [any PersistentModel] {
    var models: [any PersistentModel] = []
    models.reserveCapacity(count)
    drafts.forEachDraft { id, entity, draft, piece in
      guard let binding = bindings[entity] else { preconditionFailure("each draft was added with its class") }
      models.append(binding.make(.passRetained(.packed(draft, in: piece, binding, id, link))))
    }
    return models
  }
}

extension ModelContext {
  /// How many inserted objects the context has let go of. For tests.
  package var unheldCount: Int { pendingLists.unheld?.count ?? 0 }

  /// The changes since the last save, with an object for each. Those that the context let go of are made again.
  var pending: PendingChanges {
    makeUnheldAgain()
    return pendingLists
  }

  /// The object of an identifier, as far as it is in memory or was and nobody held it.
  func registered(_ id: RecordID) -> (any PersistentModel)? {
    if let model = map[id] { return model }
    guard pendingLists.unheld?.mayHold(id) == true else { return nil }
    makeUnheldAgain()
    return map[id]
  }

  func makeUnheldAgain() {
    guard let unheld = pendingLists.unheld else { return }
    let (staying, anew) = (pendingLists.inserted, unheld.objects(link))
    var inserted: [any PersistentModel] = []
    inserted.reserveCapacity(staying.count + unheld.count)
    map.reserve(unheld.count)
    for stretch in unheld.stretches(beside: staying.count) {
      inserted += anew[stretch.drafts]
      inserted += staying[stretch.objects]
    }
    for model in anew { map.insert(model, model._$storage.recordID) }
    pendingLists.inserted = inserted
    pendingLists.packedCount += unheld.count
    pendingLists.unheld = nil
    pendingLists.keepsAll = true
  }

  /// Lets go of those of some packed objects that nobody else holds.
  func letGoOfUnheld(in range: Range<Int>) {
    // A watch or an undo manager may hear of an object at any time.
    guard !pendingLists.keepsAll, core.stores.count == 1, !link.isFollowed else { return }
    var models = pendingLists.inserted[range].map { Optional($0) }
    pendingLists.inserted.removeSubrange(range)
    var staying: [any PersistentModel] = []
    var mayGoCount = 0
    // Until all is whole again, for their `deinit` may ask the context for others.
    var leaving: ContiguousArray<any PersistentModel> = []
    let unheld = pendingLists.unheld ?? UnheldInserts()
    for place in models.indices {
      guard let storage = models[place]?._$storage else { continue }
      let id = storage.recordID
      guard storage.isPacked, !storage.isObserved, !storage.isLent,
        storage.description.keepsNothingElse(models[place]), map[id] === models[place]
      else {
        models[place].map { staying.append($0) }
        continue
      }
      mayGoCount += 1
      models[place] = nil
      if let model = map.takeUnheld(id) {
        if unheld.append(storage, behind: range.lowerBound + staying.count) {
          leaving.append(model)
        } else {
          map.insert(model, id)
          staying.append(model)
        }
      } else if let model = map[id] {
        staying.append(model)
      }
    }
    pendingLists.inserted.insert(contentsOf: staying, at: range.lowerBound)
    pendingLists.packedCount = range.lowerBound + staying.count
    if unheld.count > 0 { pendingLists.unheld = unheld }
    if mayGoCount >= UnheldInserts.enoughHeld, leaving.isEmpty { pendingLists.keepsAll = true }
    withExtendedLifetime(leaving) {}
  }
}
