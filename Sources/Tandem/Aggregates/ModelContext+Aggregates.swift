import RecordStore

extension ModelContext {
  /// Computes over the objects that a fetch of `descriptor` would give, without making them; see ``Aggregate`` for the
  /// functions and their rules.
  ///
  /// One pass over the records' bytes, some tens of nanoseconds a record and function (`tools/bench`, "sum" and
  /// "group by"); a minimum or maximum alone, of an attribute that an index begins with, is one look-up. Where the
  /// context has unsaved changes that count, or only Swift can decide the predicate, the objects are fetched after all.
  ///
  /// - Throws: `SwiftDataError.unsupportedKeyPath` for a key path that names no attribute, `.aggregateOverflow` for
  ///   a sum that its type does not hold, and what ``fetch(_:)`` throws.
  public func aggregate<T: PersistentModel, each Result>(
    _ aggregates: repeat Aggregate<T, each Result>, over descriptor: FetchDescriptor<T> = FetchDescriptor()
  ) throws -> (repeat each Result) {
    var request = AggregateRequest<T>(try core.binding(of: T.self))
    repeat try request.add(each aggregates)
    // Without keys all objects are one group, which is there even without objects.
    var values = try rows(request, descriptor)[0].values[...]
    return (repeat try (each aggregates).take(&values))
  }

  /// As the form with several, for one: its result is no tuple.
  ///
  /// - Throws: As the form with several.
  public func aggregate<T: PersistentModel, Result>(
    _ aggregate: Aggregate<T, Result>, over descriptor: FetchDescriptor<T> = FetchDescriptor()
  ) throws -> Result {
    var request = AggregateRequest<T>(try core.binding(of: T.self))
    try request.add(aggregate)
    var values = try rows(request, descriptor)[0].values[...]
    return try aggregate.take(&values)
  }

  /// The different values of an attribute, in its type's order, nil first.
  ///
  /// - Throws: As the form without groups.
  public func distinctValues<T: PersistentModel, Value: Hashable>(
    of keyPath: KeyPath<T, Value>, over descriptor: FetchDescriptor<T> = FetchDescriptor()
  ) throws -> [Value] {
    var request = AggregateRequest<T>(try core.binding(of: T.self))
    try request.add(key: keyPath)
    return try rows(request, descriptor).map { row in
      var fields = row.keys[...]
      return try request.take(&fields, as: keyPath)
    }
  }

  func rows<T: PersistentModel>(
    _ request: AggregateRequest<T>, _ descriptor: FetchDescriptor<T>
  ) throws -> [AggregateRow] {
    try throwNoted()
    var descriptor = descriptor
    // Without a window the order is of no account, and it may be one that only Swift knows.
    if descriptor.fetchLimit == nil, descriptor.fetchOffset ?? 0 == 0 { descriptor.sortBy = [] }
    let translation = try descriptor.translation(for: request.binding)
    var query = translation.query
    query.limit = descriptor.fetchLimit
    query.offset = descriptor.fetchOffset ?? 0
    let store = request.binding.store
    guard translation.isWhole, store.foreign == nil, !(descriptor.includePendingChanges && hasChanges) else {
      guard hasChanges, !descriptor.includePendingChanges else {
        return try request.rows(of: fetch(descriptor), query)
      }
      return try withoutChanges(store) { try request.rows(of: $0.fetch(descriptor), query) }
    }
    return try readCurrent(store) { snapshot in
      try snapshot.aggregate(AggregateQuery(query, keys: request.keys, functions: request.functions))
    }
  }
}

extension Aggregate {
  /// The result from the values of this aggregate's parts, which are taken off the front.
  func take(_ values: inout ArraySlice<AggregateValue>) throws -> Result {
    defer { values.removeFirst(parts.count) }
    return try result(Array(values.prefix(parts.count)))
  }
}
