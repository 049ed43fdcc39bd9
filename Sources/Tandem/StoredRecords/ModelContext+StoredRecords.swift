extension ModelContext {
  /// Lends each record that a fetch finds to a closure, without making objects.
  ///
  /// ```swift
  /// var total: Decimal = 0
  /// try context.withRecords(of: FetchDescriptor<Receipt>()) { receipt in total += receipt.amount }
  /// ```
  /// All records are of one state of the store, as are fetches inside the closure: the rules of ``withSnapshot(_:)``
  /// hold for the whole call. That state is what is saved. Unsaved changes of this context are not in it, whatever
  /// ``FetchDescriptor/includePendingChanges`` says: save before, or fetch objects.
  ///
  /// Costs a step of the query and a checksum for each record, and what is read of it.
  ///
  /// - Throws: What `body` throws, which ends the walk; what ``fetch(_:)`` throws; `SwiftDataError.invalidRequest` for
  ///   a predicate or an order that takes objects to decide, and for a class in a data store of another kind.
  public func withRecords<Model: PersistentModel>(
    of fetch: FetchDescriptor<Model>, _ body: (borrowing StoredRecord<Model>) throws -> Void
  ) throws {
    let binding = try core.binding(of: Model.self)
    guard binding.store.foreign == nil else {
      throw SwiftDataError(
        .invalidRequest,
        "the data store \(binding.store.configuration.name) has no records to lend: fetch objects of "
          + "\(binding.description.name)")
    }
    let translation = try fetch.translation(for: binding)
    guard translation.isWhole else {
      throw SwiftDataError(
        .invalidRequest,
        "the predicate or the order of this fetch of \(binding.description.name) takes objects to decide: fetch "
          + "objects, or ask for stored attributes alone")
    }
    var query = translation.query
    query.limit = fetch.fetchLimit
    query.offset = fetch.fetchOffset ?? 0
    let reader = StoredRecordReader(binding, self)
    try withSnapshot {
      try read(binding.store) { snapshot in
        try snapshot.forEachRow(query) { row in
          try row.verify(row.view)
          try body(StoredRecord(reader, row))
          return true
        }
      }
    }
  }
}
