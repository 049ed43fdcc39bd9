import LMDB

/// Reading of what a store says of itself: header and catalogue, from table `meta`, and its state.
struct MetaTable {
  private let view: TransactionView
  private let database: Database
  private let path: String

  init(_ view: TransactionView, _ database: Database, path: String) {
    self.view = view
    self.database = database
    self.path = path
  }

  func header() throws -> StoreHeader { try StoreHeader(decoding: value(of: StoreHeader.key), path: path) }

  func format() throws -> UInt16 { try StoreHeader.format(in: value(of: StoreHeader.key), path: path) }

  func state() throws -> StoreState { try StoreState(decoding: stateBytes()) }

  func lastNumber() throws -> UInt64 { try StoreState.lastNumber(in: stateBytes()) }

  func catalogue() throws -> Catalogue { try CatalogueTable.decode(value(of: CatalogueTable.key)) }

  func generation() throws -> UInt64 { try CatalogueTable.generation(in: value(of: CatalogueTable.key)) }

  private func stateBytes() throws -> RawBytes {
    try view.get(.main, key: StoreState.key) ?? value(of: StoreState.formerKey)
  }

  private func value(of key: [UInt8]) throws -> RawBytes {
    if let value = try view.get(database, key: key) { return value }
    // A file of LMDB with a table `meta`, but without ours in it.
    throw StoreError(.notAStore, "\(path) is an LMDB file of another program: choose another path")
  }
}
