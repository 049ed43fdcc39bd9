import RecordStore

extension ModelContainer {
  /// Runs several saves of one context as one durable commit: all of them are there afterwards, or none.
  ///
  /// Each save, and each ``ModelContext/transaction(once:block:)``, stays a transaction of its own in the history, with
  /// its key in the once ledger and the ids that follow from it: other devices cannot tell. Nobody else writes
  /// meanwhile, also no other process, so what `body` fetches is true until it ends. The first save that fails ends the
  /// batch, whatever `body` makes of the error.
  ///
  /// `body` runs on the thread that writes, and again if the file has to grow, or if a save that shares the commit
  /// fails. It works with the context that it is given, which ends with it, and saves what is to stay.
  ///
  /// - Throws: what `body` throws, and what ``ModelContext/save()`` throws; then the store is unchanged.
  ///   `SwiftDataError.invalidRequest` for a container of several stores, or of another library's.
  package func batch<Value: Sendable>(_ body: @escaping @Sendable (ModelContext) throws -> Value) throws -> Value {
    guard core.stores.count == 1, core.stores[0].foreign == nil else {
      throw SwiftDataError(
        .invalidRequest, "a batch of saves is one commit of one store: make a container of that store alone")
    }
    let binding = core.stores[0]
    let descriptions = core.bindings(in: 0).map(\.description).sorted { $0.name < $1.name }
    return try binding.store.batch { [schema = core.schema, configuration = binding.configuration] inside in
      let core = try ContainerCore(
        schema: schema, store: inside, configuration: configuration, descriptions)
      return try body(ModelContext(core: core, isMain: false))
    }
  }
}
