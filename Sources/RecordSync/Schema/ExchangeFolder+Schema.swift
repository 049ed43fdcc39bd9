import RecordStore

extension ExchangeFolder {
  /// The newest schema among the replicas' last intact files; nil when there is no file.
  func newestSchema() throws -> StoreSchema? {
    var newest: Catalogue?
    let ofSnapshots = try intactSnapshots().compactMap { snapshot -> Catalogue? in
      do {
        return try SchemaDescription.decode(snapshot.manifest.schemaDescription, subject: snapshot.path)
      } catch let error as SyncError where error.code == .damagedFile {
        // The import that needs the snapshot tells of it.
        return nil
      }
    }
    for catalogue in try knownReplicas().compactMap(lastCatalogue) + ofSnapshots {
      guard let known = newest else {
        newest = catalogue
        continue
      }
      let isNewer = (catalogue.schemaVersion, catalogue.generation) > (known.schemaVersion, known.generation)
      if isNewer { newest = catalogue }
    }
    return newest.map { StoreSchema(declaredBy: $0) }
  }

  private func lastCatalogue(of replica: ReplicaID) throws -> Catalogue? {
    for file in try listing(of: replica).files.reversed() {
      do {
        let set = try file.read(expecting: self, replica: replica)
        return try SchemaDescription.decode(set.schemaDescription, subject: file.path)
      } catch let error as SyncError where error.code != .inputOutput {
        // The import reports a damaged file; an older one may still tell the schema.
        continue
      }
    }
    return nil
  }
}
