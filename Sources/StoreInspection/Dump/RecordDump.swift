public import RecordStore

/// Writes a store as JSON Lines: a schema line, one line an alias, one line a once key, then one line a record
/// with all its facts.
///
/// The same state of a store gives the same bytes: entities by number, records by id. Dead and waiting
/// records are included. Left out is what belongs to one device: history, marks and logs of synchronisation.
public enum RecordDump {
  /// Calls `line` with each line, without its end. One snapshot, so the dump is consistent; long dumps
  /// pin that snapshot. `progress` gets the number of records written, every thousand.
  /// What `line` throws ends the dump.
  public static func write(
    _ store: RecordStore, progress: (Int) -> Void = { _ in }, line: (String) throws -> Void
  ) throws {
    let storeID = store.storeID
    try store.read { snapshot in
      let header = DumpHeader(
        storeID: storeID, replica: try snapshot.replica, vector: try snapshot.versionVector,
        catalogue: snapshot.catalogue, hasOnceKeys: try snapshot.onceKeyCount > 0)
      try line(header.json().description)
      try snapshot.forEachAlias { id, canonical in
        try line(AliasLine(alias: id, of: canonical).json.description)
      }
      try snapshot.forEachOnceEntry { try line(OnceLine($0).json.description) }
      var count = 0
      for entity in snapshot.catalogue.entities {
        try snapshot.forEachFacts(of: entity.number) { facts, isVisible in
          try line(RecordLine(facts, entity: entity, isVisible: isVisible).json.description)
          count += 1
          if count.isMultiple(of: 1000) { progress(count) }
        }
      }
    }
  }
}
