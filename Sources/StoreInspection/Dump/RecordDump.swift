public import RecordStore

/// Writes a store as JSON Lines: a schema line, one line an alias, one line a once key, then one line a record
/// with all its facts, and a last line that counts the others.
///
/// Where unique values have joined records or were given up, lines before the records say what each record wrote
/// for itself (`{"written":{…}}`), what it held before (`{"past":{…}}`) and what authors knew (`{"context":{…}}`).
///
/// The same state of a store gives the same bytes: entities by number, records by id. Dead and waiting
/// records are included. Left out is what belongs to one device: history, marks and logs of synchronisation.
public enum RecordDump {
  /// Calls `line` with each line, without its end. One snapshot, so the dump is consistent; long dumps
  /// pin that snapshot. `progress` gets the number of records written, every thousand.
  /// An error of `line` ends the dump.
  public static func write(
    _ store: RecordStore, progress: (Int) -> Void = { _ in }, line: (String) throws -> Void
  ) throws {
    let storeID = store.storeID
    try store.read { snapshot in
      let classes = try ClassLines(snapshot)
      let header = DumpHeader(
        storeID: storeID, replica: try snapshot.replica, vector: try snapshot.versionVector,
        catalogue: snapshot.catalogue)
      try line(header.json().description)
      var lineCount = 0
      func write(_ text: String) throws {
        lineCount += 1
        try line(text)
      }
      var given: [RecordID: RecordID] = [:]
      try snapshot.forEachGivenAlias { given[$0] = $1 }
      try snapshot.forEachAlias { id, canonical in
        try write(AliasLine(alias: id, of: given[id] ?? canonical).json.description)
      }
      try snapshot.forEachOnceEntry { try write(OnceLine($0).json.description) }
      for text in classes.lines { try write(text) }
      var count = 0
      for entity in snapshot.catalogue.entities {
        try snapshot.forEachFacts(of: entity.number) { facts, isVisible in
          try write(RecordLine(facts, entity: entity, isVisible: isVisible).json.description)
          count += 1
          if count.isMultiple(of: 1000) { progress(count) }
        }
      }
      try line(DumpEnd(lineCount: lineCount).json.description)
    }
  }
}
