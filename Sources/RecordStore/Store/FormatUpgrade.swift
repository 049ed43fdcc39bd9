import LMDB

/// Makes a store of this build's format of one that an earlier build made, in the transaction of the first write.
///
/// Everything stays where it is, but for what each commit writes: the tables that were added since, the state, the
/// header and the catalogue. So it takes as long for any number of records.
struct FormatUpgrade {
  let path: String

  /// The layout as it is where the store has this build's format and all its tables.
  func runIfNeeded(
    _ found: StoreLayout, _ format: UInt16, in transaction: borrowing WriteTransaction
  ) throws -> StoreLayout {
    if found.databases.isComplete, format == StoreHeader.formatVersion { return found }
    return try run(found, in: transaction)
  }

  private func run(_ found: StoreLayout, in transaction: borrowing WriteTransaction) throws -> StoreLayout {
    let database = found.databases.meta
    let meta = MetaTable(transaction.view, database, path: path)
    try transaction.put(database, key: StoreHeader.key, value: meta.header().encoded())
    try meta.state().write(to: transaction)
    try transaction.delete(database, key: StoreState.formerKey)
    // The new generation tells other processes to read the catalogue anew, and to open the new tables.
    var catalogue = found.catalogue
    catalogue.generation += 1
    return try StoreLayout.create(catalogue, in: transaction)
  }
}
