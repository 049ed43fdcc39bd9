import LMDB

@testable import RecordStore
@testable import RecordSync

extension Harness {
  /// A transaction's facts, read at once and read as far as a merge needs them; or a notice by itself.
  static let transaction = Harness("transaction", errors: [StoreError.self, SyncError.self]) { bytes in
    // Golden transactions begin at one of two types.
    let sealed = bytes.sealedAfterFlags
    let facts = try TransactionHarness.read(sealed, turnedBy: 0) ?? TransactionHarness.read(sealed, turnedBy: 5)
    guard let facts else {
      return try TransactionHarness.readNotice(bytes)
    }
    if let notice = facts.notice { try TransactionHarness.readNotice(notice) }
  }
}

private enum TransactionHarness {
  static func readNotice(_ bytes: [UInt8]) throws {
    let notice = try SyncNotice(bytes)
    try promise(try SyncNotice(notice.encoded).encoded == notice.encoded, "a notice that was read again is another")
  }

  /// Nil if it was refused.
  static func read(_ sealed: [UInt8], turnedBy turn: Int) throws -> TransactionFacts? {
    let types = FieldType.allCases
    let type = { (entity: EntityNumber, ordinal: Int) -> FieldType in
      guard entity < 256 else { throw StoreError(.damaged, "there is no entity \(entity)") }
      return types[(ordinal + turn) % types.count]
    }
    let encoded = Result { try EncodedTransaction(sealed, fieldType: type) }
    let decoded = Result { try TransactionCodec.decode(sealed, fieldType: type) }
    guard case .success(let facts) = decoded, case .success(let encoded) = encoded else {
      if case .failure = encoded, case .failure(let error) = decoded {
        guard error is StoreError || error is SyncError else { throw error }
        return nil
      }
      throw Violation("one of two readers of a transaction takes what the other refuses")
    }
    try promise(encoded.recordCount == facts.records.count, "two readers of one transaction disagree")
    let written = TransactionCodec.encode(facts)
    try promise(
      try TransactionCodec.encode(TransactionCodec.decode(written, fieldType: type)) == written,
      "a transaction that was written and read again is another")
    return facts
  }
}
