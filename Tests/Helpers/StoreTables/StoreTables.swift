import LMDB
public import RecordStore

/// What stores hold, for comparing two of them byte for byte.
extension RecordStore {
  /// The state, and all entries of all tables but history, whose order two ways of a commit may choose, and `meta`,
  /// which tells one store from another. `isCounted` says which attachments count.
  public func tables(
    attachments isCounted: ([UInt8]) -> Bool = { _ in true }
  ) throws -> [String: [[UInt8]]] {
    try read { snapshot throws in
      let databases = snapshot.layout.databases
      var all = [databases.hidden, databases.backReferences, databases.claims]
      all += [databases.dots, databases.aliases, databases.attachments] + databases.records
      all += databases.indexes.values
      if let classes = databases.classTables {
        all += [classes.originals, classes.pastWrites, classes.heldKeys, classes.contexts]
      }
      if let once = databases.once { all.append(once) }
      var tables = ["state": [try snapshot.state.encoded()]]
      for database in all {
        var cursor = try snapshot.transaction.cursor(database)
        while let entry = try cursor.next() {
          let key = entry.key.copied()
          if database == databases.attachments, !isCounted(key) { continue }
          let name = database.section.map { "\(database.name) \($0.number)" } ?? database.name
          tables[name, default: []] += [key, entry.value.copied()]
        }
      }
      return tables
    }
  }

  /// All history that is kept, with the changes of a transaction by entity and id.
  public func historyInKeyOrder() throws -> [HistoryTransaction] {
    try read { snapshot throws in
      try snapshot.history(after: try snapshot.firstReadableNumber - 1).map { transaction in
        var transaction = transaction
        transaction.changes.sort { ($0.entity, $0.id) < ($1.entity, $1.id) }
        return transaction
      }
    }
  }
}
