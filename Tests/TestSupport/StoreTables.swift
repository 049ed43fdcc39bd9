import LMDB
public import RecordStore

extension RecordStore {
  /// All entries of all tables but history, whose order two ways of a commit may choose, and of `meta` the state alone:
  /// the rest tells one store from another. `isCounted` says which attachments count.
  public func tables(
    attachments isCounted: ([UInt8]) -> Bool = { _ in true }
  ) throws -> [String: [[UInt8]]] {
    try read { snapshot throws in
      let databases = snapshot.layout.databases
      var all = [databases.meta, databases.hidden, databases.backReferences, databases.claims]
      all += [databases.dots, databases.aliases, databases.attachments] + databases.records
      all += databases.indexes.values
      if let classes = databases.classTables {
        all += [classes.originals, classes.pastWrites, classes.heldKeys, classes.contexts]
      }
      if let once = databases.once { all.append(once) }
      var tables: [String: [[UInt8]]] = [:]
      for database in all {
        var cursor = try snapshot.transaction.cursor(database)
        while let entry = try cursor.next() {
          let key = entry.key.copied()
          if database == databases.meta, key != Array("state".utf8) { continue }
          if database == databases.attachments, !isCounted(key) { continue }
          tables[database.name, default: []] += [key, entry.value.copied()]
        }
      }
      return tables
    }
  }

  /// All history, with the changes of a transaction by entity and id.
  public func historyInKeyOrder() throws -> [HistoryTransaction] {
    try read { snapshot throws in
      try snapshot.history(after: 0).map { transaction in
        var transaction = transaction
        transaction.changes.sort { ($0.entity, $0.id) < ($1.entity, $1.id) }
        return transaction
      }
    }
  }
}
