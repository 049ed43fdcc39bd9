import LMDB

extension TransactionView {
  /// Lends each entry whose key begins with `prefix`, in key order.
  func forEachKey(
    in database: Database, startingWith prefix: [UInt8], _ body: (_ key: RawBytes, _ value: RawBytes) throws -> Void
  ) throws {
    var cursor = try cursor(database)
    try prefix.withRawBytes { prefix throws in
      var entry = try prefix.count > 0 ? cursor.seek(prefix) : cursor.first()
      while let found = entry, found.key.hasPrefix(prefix) {
        try body(found.key, found.value)
        entry = try cursor.next()
      }
    }
  }

  /// The records whose entries in an index begin with `prefix`, in key order.
  func recordIDs(in index: Database, startingWith prefix: [UInt8]) throws -> [RecordID] {
    var ids: [RecordID] = []
    try forEachKey(in: index, startingWith: prefix) { key, value in
      ids.append(try IndexKey.recordID(key: key, value: value))
    }
    return ids
  }
}
