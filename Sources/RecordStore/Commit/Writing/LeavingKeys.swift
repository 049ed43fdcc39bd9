import LMDB

/// The changes of records of one entity that go, in tables of keys. Made of the records' bytes alone, so that any
/// thread can work it out.
struct LeavingKeys: Sendable {
  /// Entries that an index loses, or those that stand for references that no index shows any more.
  private(set) var changes: IndexChanges
  /// The claims for the values that a unique index does not show any more.
  private(set) var claims: IndexChanges

  private init(_ changing: Database, _ databases: NamedDatabases) {
    changes = IndexChanges(database: changing)
    claims = IndexChanges(database: databases.claims)
  }

  init(of records: [RecordDrafts.Entry], in index: IndexKey, _ databases: NamedDatabases) {
    self.init(databases.index(index.number), databases)
    var encoder = KeyEncoder()
    var claim = GrowingBytes(capacity: ClaimTable.keyByteCount)
    for record in records {
      let isUnique = index.encode(RecordView(record.bytes), id: record.id, into: &encoder)
      changes.remove(encoder)
      guard isUnique else { continue }
      claim.removeAll()
      let digest = encoder.withRawBytes { StableHash.digest128($0) }
      ClaimTable.writePrefix(index: index.number, digest, to: &claim)
      claim.append(record.id)
      claims.add(claim)
    }
    changes.sort()
    claims.sort()
  }

  init(referencesOf records: [RecordDrafts.Entry], at ordinals: [Int], _ databases: NamedDatabases) {
    self.init(databases.backReferences, databases)
    var key = GrowingBytes(capacity: BackReferenceTable.keyByteCount)
    for record in records {
      let (view, holder) = (RecordView(record.bytes), RecordKey(entity: EntityNumber(record.entity), id: record.id))
      for ordinal in ordinals {
        guard let target = view.registerReference(at: ordinal) else { continue }
        key.removeAll()
        BackReferenceTable.write(target: target, holder: holder, ordinal: ordinal, to: &key)
        changes.add(key)
      }
    }
    changes.sort()
  }

  /// The records of which a unique value becomes free for which an invisible one waits.
  func claimedRecords(in view: TransactionView) throws -> [RecordID] {
    var cursor = try view.cursor(claims.database)
    var claimed: [RecordID] = []
    try claims.forEachAddition { claim throws in
      let value = claim.slice(0..<ClaimTable.prefixByteCount)
      guard try cursor.seek(value)?.key.hasPrefix(value) ?? false,
        let id = RecordID(bytes: claim.slice(ClaimTable.prefixByteCount..<claim.count))
      else { return }
      claimed.append(id)
    }
    return claimed
  }

  mutating func write(to transaction: borrowing WriteTransaction) throws {
    try changes.write(to: transaction)
    try claims.write(to: transaction)
  }
}
