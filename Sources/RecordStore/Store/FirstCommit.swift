import LMDB

/// The first commit of an empty LMDB file, which makes it a store: header, state, catalogue and its tables.
struct FirstCommit {
  private let header: StoreHeader
  private let catalogue: Catalogue

  /// Throws `invalidSchema`, before anything is made.
  init(_ configuration: StoreConfiguration, _ schema: StoreSchema) throws {
    catalogue = try CatalogueBuilder.build(schema, onto: nil)
    var header = StoreHeader(
      storeID: .random(), replica: ReplicaID(0), incarnation: 0, createdAtMilliseconds: configuration.clock.now()
    ).withNewReplica()
    if let replica = configuration.replicaOfNewStore { header.replica = replica }
    self.header = header
  }

  /// Nobody else has the file yet, so LMDB's writer lock is not waited for, and any thread may do this.
  func write(to environment: Environment) throws {
    try StoreError.translating(store: environment.path) {
      try environment.write { transaction in
        let layout = try StoreLayout.create(catalogue, in: transaction)
        try transaction.put(layout.databases.meta, key: StoreHeader.key, value: header.encoded())
        try StoreState().write(to: transaction)
      }
    }
  }
}
