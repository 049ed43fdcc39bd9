extension ModelContext {
  /// Inserts a record for each row, without objects: the closure gives values, which become the record's bytes.
  ///
  /// ```swift
  /// try context.insertAll(Receipt.self, lines, chunk: 10_000) { line, receipt in
  ///   receipt.number = line.number
  ///   receipt.shop = line.shop
  ///   receipt.amount = line.amount
  /// }
  /// ```
  /// The records are those that objects with the same values would be after a save: defaults, unique values, required
  /// properties, both sides of relationships, history, live results and synchronisation know no difference. A row with
  /// a unique value that exists gives that record its values, and a later row counts more than an earlier one.
  ///
  /// The rows are saved by this call. Unsaved changes of the context are not part of it, and stay unsaved; objects that
  /// are here take in what the rows change, as they do what others save. It is no step of undo.
  ///
  /// Without `chunk` all rows are one save: all or none. Until then their bytes are in memory, and beside them what the
  /// commit needs. With `chunk` each so many rows are a save of their own, and memory does not grow with the rows.
  ///
  /// Asks now and then whether the task was cancelled.
  ///
  /// - Parameters:
  ///   - model: The class of the records.
  ///   - rows: Anything that gives one row after another; it is read once.
  ///   - chunk: How many rows are one save; nil: all.
  ///   - progress: Called after each 1,024 rows, after each save of a chunk, and at the end, in the caller's isolation.
  ///   - fill: Gives the values of one row.
  /// - Returns: How many rows became new records, and how many new values of known ones.
  /// - Throws: What `rows` and `fill` throw, `CancellationError`, and what ``save()`` throws, with
  ///   `modelValidationFailure` for a row without a required value. Then the store is as it was. With `chunk`,
  ///   ``InterruptedInsertion``, which says how many rows are saved.
  @inlinable
  @discardableResult
  public func insertAll<Model: PersistentModel, Rows: Sequence>(
    _ model: Model.Type, _ rows: Rows, chunk: Int? = nil, progress: ((BulkProgress) -> Void)? = nil,
    _ fill: (Rows.Element, inout NewRecord<Model>) throws -> Void
  ) throws -> BulkInsertion {
    let intake = try BulkIntake(self, model, chunk: chunk, progress)
    do {
      for row in rows {
        var record = NewRecord<Model>(intake.begin())
        try fill(row, &record)
        try intake.end()
      }
      return try intake.finish()
    } catch {
      throw intake.failure(error)
    }
  }

  /// Inserts a record for each row as they come. As the other `insertAll` in all else.
  ///
  /// While a row is awaited, the context may be used for other things: rows that wait for their save are not in it.
  /// The save itself blocks, as ``save()`` does.
  ///
  /// - Throws: As the other `insertAll`. Where a task was cancelled and the sequence ends early without an error, the
  ///   insertion throws `CancellationError`.
  @inlinable
  @discardableResult
  public func insertAll<Model: PersistentModel, Rows: AsyncSequence>(
    _ model: Model.Type, _ rows: Rows, chunk: Int? = nil, progress: ((BulkProgress) -> Void)? = nil,
    isolation: isolated (any Actor)? = #isolation, _ fill: (Rows.Element, inout NewRecord<Model>) throws -> Void
  ) async throws -> BulkInsertion {
    let intake = try BulkIntake(self, model, chunk: chunk, progress)
    do {
      var iterator = rows.makeAsyncIterator()
      while let row = try await iterator.next(isolation: isolation) {
        var record = NewRecord<Model>(intake.begin())
        try fill(row, &record)
        try intake.end()
      }
      try Task.checkCancellation()
      return try intake.finish()
    } catch {
      throw intake.failure(error)
    }
  }
}
