import LMDB

/// Aliases of which nobody knows any more what each record had written: an earlier build joined the facts, or a
/// dump of one gave them. They stay: the id names the record into which its facts went, wherever that goes.
enum GivenAliases {
  /// Enters the aliases of an earlier build into table `originals`, once. Cost: a look whether there are any.
  static func adoptAll(_ layout: StoreLayout, in transaction: borrowing WriteTransaction) throws {
    guard let tables = layout.databases.classTables,
      try transaction.view.statistics(layout.databases.aliases).entries > 0,
      try transaction.view.statistics(tables.originals).entries == 0
    else { return }
    try adoptMissing(layout, in: transaction)
  }

  /// Enters every alias that table `originals` does not explain.
  static func adoptMissing(_ layout: StoreLayout, in transaction: borrowing WriteTransaction) throws {
    guard let tables = layout.databases.classTables else { return }
    let view = transaction.view
    var roots: [RecordID: RecordID] = [:]
    try view.forEachKey(in: layout.databases.aliases, startingWith: []) { key, value in
      if let id = RecordID(bytes: key), let root = RecordID(bytes: value) { roots[id] = root }
    }
    for (id, root) in roots.sorted(by: { $0.key < $1.key }) {
      var kept = root
      while let next = roots[kept] { kept = next }
      for entity in layout.catalogue.entities {
        let row = RecordKey(entity: entity.number, id: kept)
        guard try isRow(row, layout, view), try view.get(tables.originals, key: OriginalTable.key(row, id)) == nil
        else { continue }
        var value: [UInt8] = []
        root.append(to: &value)
        try transaction.put(tables.originals, key: OriginalTable.key(row, id), value: value)
        try id.withRawBytes { id throws in
          try kept.withRawBytes { kept throws in
            try transaction.put(layout.databases.aliases, key: id, value: kept)
          }
        }
        break
      }
    }
  }

  private static func isRow(_ row: RecordKey, _ layout: StoreLayout, _ view: TransactionView) throws -> Bool {
    let isVisible = try row.id.withRawBytes { id throws in
      try view.get(layout.databases.records[row.entity], key: id) != nil
    }
    return try isVisible || view.get(layout.databases.hidden, key: HiddenTable.key(row)) != nil
  }
}
