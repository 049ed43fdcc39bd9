import RecordStore

// One form for each of one or several aggregates by one or several keys, because a tuple of one is not what it holds.

extension ModelContext {
  /// Computes for each group of objects that share the values of one attribute or more. Groups come in the order of
  /// their keys, nil first; without objects there are none. Memory follows the number of groups.
  ///
  /// Values are grouped by the equality of their type; not-a-number is one group. A raw value that this build's
  /// enumeration does not know makes the call throw.
  ///
  /// - Throws: As the form without groups.
  public func aggregate<T: PersistentModel, each Result, each Key: Hashable>(
    _ aggregates: repeat Aggregate<T, each Result>, groupedBy keys: repeat KeyPath<T, each Key>,
    over descriptor: FetchDescriptor<T> = FetchDescriptor()
  ) throws -> [AggregateGroup<(repeat each Key), (repeat each Result)>] {
    var request = AggregateRequest<T>(try core.binding(of: T.self))
    repeat try request.add(key: each keys)
    repeat try request.add(each aggregates)
    return try rows(request, descriptor).map { row in
      var values = row.values[...]
      var fields = row.keys[...]
      return AggregateGroup(
        key: (repeat try request.take(&fields, as: each keys)), values: (repeat try (each aggregates).take(&values)))
    }
  }

  /// As the form with several of both: one alone is no tuple.
  ///
  /// - Throws: As the form with several of both.
  public func aggregate<T: PersistentModel, each Result, Key: Hashable>(
    _ aggregates: repeat Aggregate<T, each Result>, groupedBy key: KeyPath<T, Key>,
    over descriptor: FetchDescriptor<T> = FetchDescriptor()
  ) throws -> [AggregateGroup<Key, (repeat each Result)>] {
    var request = AggregateRequest<T>(try core.binding(of: T.self))
    try request.add(key: key)
    repeat try request.add(each aggregates)
    return try rows(request, descriptor).map { row in
      var values = row.values[...]
      var fields = row.keys[...]
      return AggregateGroup(
        key: try request.take(&fields, as: key), values: (repeat try (each aggregates).take(&values)))
    }
  }

  /// As the form with several of both: one alone is no tuple.
  ///
  /// - Throws: As the form with several of both.
  public func aggregate<T: PersistentModel, Result, each Key: Hashable>(
    _ aggregate: Aggregate<T, Result>, groupedBy keys: repeat KeyPath<T, each Key>,
    over descriptor: FetchDescriptor<T> = FetchDescriptor()
  ) throws -> [AggregateGroup<(repeat each Key), Result>] {
    var request = AggregateRequest<T>(try core.binding(of: T.self))
    repeat try request.add(key: each keys)
    try request.add(aggregate)
    return try rows(request, descriptor).map { row in
      var values = row.values[...]
      var fields = row.keys[...]
      return AggregateGroup(key: (repeat try request.take(&fields, as: each keys)), values: try aggregate.take(&values))
    }
  }

  /// As the form with several of both: one alone is no tuple.
  ///
  /// - Throws: As the form with several of both.
  public func aggregate<T: PersistentModel, Result, Key: Hashable>(
    _ aggregate: Aggregate<T, Result>, groupedBy key: KeyPath<T, Key>,
    over descriptor: FetchDescriptor<T> = FetchDescriptor()
  ) throws -> [AggregateGroup<Key, Result>] {
    var request = AggregateRequest<T>(try core.binding(of: T.self))
    try request.add(key: key)
    try request.add(aggregate)
    return try rows(request, descriptor).map { row in
      var values = row.values[...]
      var fields = row.keys[...]
      return AggregateGroup(key: try request.take(&fields, as: key), values: try aggregate.take(&values))
    }
  }
}
