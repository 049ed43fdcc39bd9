import RecordStore

extension ModelContext {
  /// Runs `block` on each object of a fetch, holding no more than a batch of them in memory.
  ///
  /// Which objects there are is fixed at the start, as 16 bytes each; one that is deleted before its turn is passed
  /// over. Objects are let go of after each batch, unless `block` keeps them or changes them: changed ones stay until
  /// they are saved, so save now and then when it changes many. Where Swift must sort, unsaved changes take part or
  /// somebody else's data store answers, the whole result is made first.
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
    var window = FetchWindow(limit: nil, offset: 0)
    if translation.isWhole {
      query.limit = fetch.fetchLimit
      query.offset = fetch.fetchOffset ?? 0
    } else {
      window = FetchWindow(limit: fetch.fetchLimit, offset: fetch.fetchOffset ?? 0)
    }
    let ids = try read(binding.store) { snapshot in
      try catchUp(binding.store, snapshot)
      return try snapshot.identifiers(query)
    }
    let size = max(batchSize, 1)
    for start in stride(from: 0, to: ids.count, by: size) where !window.isOver {
      for id in ids[start..<min(start + size, ids.count)] {
        guard let model = object(id, binding) as? T, !model.isDeleted,
          translation.residualPredicate?.accepts(model) ?? true, window.takesNext()
        else { continue }
        try block(model)
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
