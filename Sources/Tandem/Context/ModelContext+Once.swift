import Foundation
public import RecordStore

extension ModelContext {
  /// Runs an effect at most once, anywhere, for ever, and says whether it ran now.
  ///
  /// ```swift
  /// try context.transaction(once: "purchase \(transaction.id)") {
  ///   let purchase = Purchase(transaction.id)
  ///   context.insert(purchase)
  ///   context.insert(Credit(of: purchase))
  /// }
  /// ```
  /// If the key is in the store's once ledger, `block` is not called. Else what `block` changes is saved together with
  /// the key, in one commit. The ledger goes with every synchronisation and outlives the records: the key counts as
  /// done after they were deleted, too. Where two processes run one key at a time, one of them has the effect; the
  /// changes of the other are taken back as if they had not been made, and it gets `alreadyDone`.
  ///
  /// The ids of all objects that `block` inserts follow from the key, the class and the order of insertion. So two
  /// devices that run the key apart, and insert in the same order, make the same objects, children included, and
  /// synchronisation joins them: a property that was set since keeps its value, an object that was deleted since
  /// stays deleted. Properties that `block` sets in objects that were there before, and deletes, are ordinary edits.
  ///
  /// Changes that were pending are saved first, in a transaction of their own, unless the key is known. `block` must
  /// not save, nor begin another once transaction, and changes objects of one store only: each of these makes the
  /// call throw. A block that changes nothing enters its key.
  ///
  /// - Parameters:
  ///   - key: 1 to 1,024 bytes of text in NFC form. Canonically equal texts are one key.
  ///   - block: The effect. It is called only if the key is not known.
  /// - Throws: what `block` throws, `SwiftDataError.invalidOnceTransaction`, and what ``save()`` throws; `StoreError`
  ///   `invalidRequest` for a key out of its limits. Then nothing is recorded, and the changes of `block` are taken
  ///   back.
  @discardableResult
  public func transaction(once key: String, block: () throws -> Void) throws -> OnceOutcome {
    try throwNoted()
    try refuseInOnceTransaction()
    try refuseInSnapshot()
    let key = try OnceKey(key)
    for store in core.stores where try store.store.read({ try $0.isDone(key) }) { return .alreadyDone }
    if hasChanges { try save() }
    do {
      // From here on only the block's own changes are pending.
      try run(block)
      let outcome = try save(once: key)
      if outcome == .alreadyDone { rollback() }
      return outcome
    } catch {
      rollback()
      throw error
    }
  }

  private func run(_ block: () throws -> Void) throws {
    saving.isInOnceTransaction = true
    defer {
      saving.isInOnceTransaction = false
      resumeAutosave()
    }
    try block()
    // Before the changes are looked at, as observers may add some, and while a save of theirs is refused: it would save
    // the effect without its key.
    announceSave()
    endUndoEvent()
    try throwNoted()
  }

  private func save(once key: OnceKey) throws -> OnceOutcome {
    packRest()
    let changed = core.stores.filter { !part(in: $0).isEmpty }
    guard changed.count <= 1 else {
      throw SwiftDataError(
        .invalidOnceTransaction,
        "a once transaction changes objects of \(changed.count) stores, and only one can hold its key: split it")
    }
    let store = changed.first ?? core.ownStores.first ?? core.stores[0]
    guard store.foreign == nil else {
      throw SwiftDataError(
        .invalidOnceTransaction,
        "the data store \(store.configuration.name) cannot remember the key of a once transaction: keep its "
          + "classes in a store of this library")
    }
    var (work, changes) = try work(of: part(in: store), in: store)
    work.once = key
    let replaced = try replacedValues(by: changes, in: store)
    let result = try commit(work, changes, in: store)
    guard result.once == .performed else { return .alreadyDone }
    noteReplaced(replaced, changes, result.remapped)
    var summary = SaveSummary()
    summary.add(result, classes(of: result, store), store)
    adopt(result, changes, store)
    tell(of: summary)
    return .performed
  }

  func refuseInOnceTransaction() throws {
    guard saving.isInOnceTransaction else { return }
    throw SwiftDataError(
      .invalidOnceTransaction,
      "a once transaction saves when its block ends: take the save or the inner transaction out of the block")
  }
}
