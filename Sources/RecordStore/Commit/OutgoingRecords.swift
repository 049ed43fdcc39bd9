/// Records that a local save has made, rewritten or deleted, as other devices are told of them.
struct OutgoingRecords: Sendable {
  let count: Int
  /// At least as many bytes as `write` writes.
  let byteCount: Int
  /// Writes the records as ``TransactionCodec`` does.
  let write: @Sendable (inout ByteWriter) -> Void

  init(count: Int, byteCount: Int, write: @escaping @Sendable (inout ByteWriter) -> Void) {
    self.count = count
    self.byteCount = byteCount
    self.write = write
  }

  init(_ facts: [RecordFacts]) {
    self.init(count: facts.count, byteCount: TransactionCodec.byteCount(of: facts)) {
      TransactionCodec.write(facts, to: &$0)
    }
  }

  /// The bytes of a transaction that tells of the records and is otherwise as given.
  func encoded(in transaction: TransactionFacts) -> [UInt8] {
    TransactionCodec.encode(transaction, recordCount: count, recordByteCount: byteCount, write: write)
  }

  /// A record of a save that rules had to look at in part.
  enum Record: Sendable {
    case row(RecordDrafts.Entry)
    case facts(RecordFacts)

    fileprivate var byteCount: Int {
      switch self {
      case .row(let entry): TransactionCodec.maximumByteCount(ofStored: Int(entry.count))
      case .facts(let facts): TransactionCodec.byteCount(of: [facts])
      }
    }
  }

  /// - Parameter parts: what keeps the bytes of the rows.
  init(_ records: [Record], keeping parts: [RecordDrafts]) {
    self.init(count: records.count, byteCount: records.reduce(0) { $0 + $1.byteCount }) { writer in
      withExtendedLifetime(parts) {
        for record in records {
          switch record {
          case .row(let entry): TransactionCodec.write(entry.bytes, id: entry.id, isNew: entry.isNew, to: &writer)
          case .facts(let facts): TransactionCodec.write([facts], to: &writer)
          }
        }
      }
    }
  }

  init(_ parts: [RecordDrafts]) {
    let byteCount = parts.reduce(0) { sum, part in
      part.entries.reduce(sum) { $0 + TransactionCodec.maximumByteCount(ofStored: Int($1.count)) }
    }
    self.init(count: parts.reduce(0) { $0 + $1.count }, byteCount: byteCount) { writer in
      for part in parts {
        for entry in part.entries {
          part.withBytes(of: entry) { TransactionCodec.write($0, id: entry.id, isNew: entry.isNew, to: &writer) }
        }
      }
    }
  }
}
