import LMDB

extension RecordStore {
  /// Makes index entries anew that were made of names of large values, where some of the values have come since.
  ///
  /// Costs a look where there are none; else a pass over the entities concerned, whose records are held in memory, and
  /// the values of their keys, which are read. One durable commit, which is no entry of history: no record changes but
  /// those that prove to be one under a unique key, as if a merge had found it.
  package func renewProvisionalKeys() throws {
    guard try read({ try ProvisionalKeys($0) })?.isDue == true else { return }
    let values = externalFolder
    try write { transaction, layout throws in
      let snapshot = StoreSnapshot(transaction: transaction.view, layout: layout)
      guard var keys = try ProvisionalKeys(snapshot), keys.isDue else { return ((), layout) }
      try Migration(from: layout, to: layout.catalogue).renewKeys(of: keys.entities, in: transaction)
      let lacks = try snapshot.listedValues().contains { try $0.isAwaited && values?.has($0.reference) != true }
      keys.isDue = false
      if lacks { try keys.write(layout, in: transaction) } else { try ProvisionalKeys.remove(layout, in: transaction) }
      try Interruption.point("before renewed index entries commit")
      return ((), layout)
    }
  }
}
