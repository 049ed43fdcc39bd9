import RecordStore

extension ModelContext {
  /// Runs `block` on each object of a fetch, holding no more than a batch of them in memory.
  ///
  /// Which objects there are is fixed at the start, as 16 bytes each; one that is deleted before its turn is passed
  /// over. Objects are let go of after each batch, unless `block` keeps them or changes them: changed ones stay until
  /// they are saved, so save now and then when it changes many. Where Swift decides on a predicate, it does so for all
  /// before the first call of `block`, and the objects that were let go of since are made again. Where Swift must sort,
  /// unsaved changes take part or somebody else's data store answers, the whole result is made first.
  ///
  /// - Parameters:
  ///   - fetch: Which objects, and in which order.
  ///   - batchSize: How many objects are held at most.
  ///   - allowEscapingMutations: Without effect: changes are never lost.
  ///   - block: The work on each object. If it throws, the call ends with its error.
  /// - Throws: What `block` throws, which ends the walk, and what ``fetch(_:)`` throws.
  public func enumerate<T: PersistentModel>(
    _ fetch: FetchDescriptor<T>, batchSize: Int = 5000, allowEscapingMutations: Bool = false,
    block: (T) throws -> Void
  ) throws {
    try throwNoted()
    let binding = try core.binding(of: T.self)
    let translation = try fetch.translation(for: binding)
    guard binding.store.foreign == nil, translation.residualSort.isEmpty,
      !hasChanges || !fetch.includePendingChanges && translation.isWhole
    else {
      for model in try self.fetch(fetch) where !model.isDeleted { try block(model) }
      return
    }
    var query = translation.query
    if translation.isWhole {
      query.limit = fetch.fetchLimit
      query.offset = fetch.fetchOffset ?? 0
    }
    var ids = try readCurrent(binding.store) { try $0.identifiers(query) }
    if let predicate = translation.residualPredicate {
      // All are judged before the first is worked on, whose changes may concern the others.
      var window = FetchWindow(limit: fetch.fetchLimit, offset: fetch.fetchOffset ?? 0)
      var found: [RecordID] = []
      try forEach(ids, binding, batchSize) { (model: T) in
        if predicate.accepts(model), window.takesNext() { found.append(model._$storage.recordID) }
        return !window.isOver
      }
      ids = found
    }
    try forEach(ids, binding, batchSize) { (model: T) in
      try block(model)
      return true
    }
  }

  /// Runs `body` on the objects of records that are still there, until it returns false, and lets go of each batch.
  private func forEach<T: PersistentModel>(
    _ ids: [RecordID], _ binding: EntityBinding, _ batchSize: Int, _ body: (T) throws -> Bool
  ) throws {
    let size = max(batchSize, 1)
    for start in stride(from: 0, to: ids.count, by: size) {
      for id in ids[start..<min(start + size, ids.count)] {
        guard let model = object(id, binding) as? T, !model.isDeleted else { continue }
        guard try body(model) else { return }
      }
      try throwNoted()
      sweepIfLarge()
    }
  }
}

/// Counts what an offset and a limit leave of a sequence of results.
private struct FetchWindow {
  private var toSkip: Int
  private var left: Int

  init(limit: Int?, offset: Int) {
    toSkip = offset
    left = limit ?? .max
  }

  var isOver: Bool { left == 0 }

  /// Whether the next result belongs to the window.
  mutating func takesNext() -> Bool {
    guard toSkip == 0 else {
      toSkip -= 1
      return false
    }
    guard left > 0 else { return false }
    left -= 1
    return true
  }
}
