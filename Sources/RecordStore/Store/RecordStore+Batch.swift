import LMDB

extension RecordStore {
  /// Runs several saves as one durable commit: all of them are there afterwards, or none.
  ///
  /// Each stays a transaction of its own in the history, with its author and its once key, as if it had been committed
  /// alone; what is saved together is the flush to the device. Nobody else writes meanwhile, so what `body` reads is
  /// true until it ends. The first save that fails ends the batch, whatever `body` makes of the error.
  ///
  /// `body` may run on another thread, and more than once: if the file has to grow, or if a save that shares the commit
  /// fails. It may read and save through the store that it is given only.
  ///
  /// - Throws: what `body` throws, and what ``commit(_:)-(SaveRequest)`` throws. The store is unchanged then; after
  ///   `commitOutcomeUnknown` alone it is not known whether the batch counts.
  package func batch<Value: Sendable>(_ body: @escaping @Sendable (RecordStore) throws -> Value) throws -> Value {
    let stops = Interruption.plan
    return try write { [self] transaction, layout throws -> (Value, StoreLayout) in
      try transaction.lend { handle throws in
        try Interruption.$plan.withValue(stops) {
          let batch = OpenWrite(
            handle, layout: layout, path: core.path,
            misuse: "a context or object of a batch of saves was used after it, or on another thread: the batch ends "
              + "when its closure returns")
          let value = try body(inside(batch: batch))
          try batch.throwFailure()
          try Interruption.point("before a batch commits")
          return (value, batch.layout)
        }
      }
    }
  }
}
