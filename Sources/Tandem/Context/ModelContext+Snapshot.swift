package import RecordStore

extension ModelContext {
  /// Runs `body` on one state of every store: all that is fetched, counted, aggregated or followed by a relationship
  /// inside is of the moment at which it began, whatever others commit meanwhile.
  ///
  /// Objects that are here take in what was saved before; what is saved after, they take in at the next fetch outside.
  /// Unsaved changes of this context count in fetches as everywhere, and more can be made inside.
  /// ``save()`` and once transactions of this context throw `SwiftDataError.saveInSnapshot` and leave the changes
  /// pending: save after the block. An inner `withSnapshot` sees the outer one's state.
  ///
  /// The state lasts until `body` returns and no longer; objects fetched inside live on. While it lasts, no process
  /// can use the pages again that later commits free, so the file grows with each of them: keep it to seconds, and
  /// wait in it for nothing. A data store of another kind knows no states, and is read as it is.
  ///
  /// - Throws: What `body` throws, and `SwiftDataError` where a store cannot be read.
  public func withSnapshot<Result>(_ body: () throws -> Result) throws -> Result {
    guard pins.isEmpty else { return try body() }
    try throwNoted()
    defer {
      pins = []
      resumeAutosave()
    }
    return try pin(core.stores[...], body)
  }

  private func pin<Result>(_ stores: ArraySlice<StoreBinding>, _ body: () throws -> Result) throws -> Result {
    guard let store = stores.first else { return try body() }
    guard store.foreign == nil else {
      pins.append(nil)
      return try pin(stores.dropFirst(), body)
    }
    // It is not pinned yet, so this reads its newest state.
    return try readCurrent(store) { snapshot in
      pins.append(SnapshotPin(snapshot))
      return try pin(stores.dropFirst(), body)
    }
  }

  /// Every read of this context: of the pinned state, or of the newest.
  func read<Result>(_ store: StoreBinding, _ body: (borrowing StoreSnapshot) throws -> Result) throws -> Result {
    // Stores are pinned in their order, so one that is not yet pinned is not in the list.
    guard store.index < pins.count, let pin = pins[store.index] else { return try store.store.read(body) }
    return try body(pin.snapshot)
  }

  /// As ``read(_:_:)``, of a state that the objects here have taken in.
  // A closure more, and a result that may be nil, would cost a point fetch 500 instructions of its 13,100.
  @inline(__always)
  func readCurrent<Result>(_ store: StoreBinding, _ body: (borrowing StoreSnapshot) throws -> Result) throws -> Result {
    while true {
      let result: Result? = try read(store) { snapshot in try catchUp(store, snapshot) ? nil : body(snapshot) }
      // Else an observer that was told of changes has saved, which the snapshot does not show.
      if let result { return result }
    }
  }

  /// Lends the store below as this context reads it: inside ``withSnapshot(_:)`` and ``ModelContainer/batch(_:)`` the
  /// same state as every fetch. Of several stores, the first.
  package func withStore<Result>(_ body: (borrowing StoreSnapshot) throws -> Result) throws -> Result {
    try read(core.stores[0], body)
  }

  func refuseInSnapshot() throws {
    guard !pins.isEmpty else { return }
    throw SwiftDataError(
      .saveInSnapshot, "a context saves nothing inside withSnapshot, which looks at one state: save after the block")
  }
}
