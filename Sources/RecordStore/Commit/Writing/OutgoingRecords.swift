/// Records that a local save has made, rewritten or deleted, as other devices are told of them.
struct OutgoingRecords: Sendable {
  let count: Int
  /// At least as many bytes as `write` writes.
  let byteCount: Int
  /// Writes the records as ``TransactionCodec`` does.
  let write: @Sendable (inout ByteWriter) -> Void

  /// The bytes of a transaction that tells of the records and is otherwise as given.
  func encoded(in transaction: TransactionFacts) -> [UInt8] {
    TransactionCodec.encode(transaction, recordCount: count, recordByteCount: byteCount, write: write)
  }

  /// Records of a save that was divided, in their order: rows of one part, records that are deleted, or what a rule
  /// made of a record.
  enum Piece: Sendable {
    case rows(part: Int, Range<Int>)
    case deletes(part: Int, Range<Int>)
    case facts(RecordFacts)
  }
}

extension OutgoingRecords {
  init(_ pieces: [Piece], of parts: [RecordDrafts]) {
    var (count, byteCount) = (0, 0)
    for piece in pieces {
      switch piece {
      case .rows(let part, let range):
        count += range.count
        byteCount += parts[part].entries[range].reduce(0) {
          $0 + TransactionCodec.maximumByteCount(ofStored: Int($1.count))
        }
      case .deletes(_, let range):
        count += range.count
        byteCount += TransactionCodec.deleteByteCount * range.count
      case .facts(let facts):
        count += 1
        byteCount += TransactionCodec.byteCount(of: [facts])
      }
    }
    self.init(count: count, byteCount: byteCount) { writer in
      for piece in pieces {
        switch piece {
        case .rows(let part, let range): Self.write(parts[part].entries[range], of: parts[part], to: &writer)
        case .deletes(let part, let range):
          for entry in parts[part].entries[range] {
            TransactionCodec.writeDelete(EntityNumber(entry.entity), entry.id, to: &writer)
          }
        case .facts(let facts): TransactionCodec.write([facts], to: &writer)
        }
      }
    }
  }

  private static func write(
    _ entries: ArraySlice<RecordDrafts.Entry>, of part: RecordDrafts, to writer: inout ByteWriter
  ) {
    for entry in entries {
      part.withBytes(of: entry) { TransactionCodec.write($0, id: entry.id, isNew: entry.isNew, to: &writer) }
    }
  }

  init(_ parts: [RecordDrafts]) {
    let byteCount = parts.reduce(0) { sum, part in
      part.entries.reduce(sum) { $0 + TransactionCodec.maximumByteCount(ofStored: Int($1.count)) }
    }
    self.init(count: parts.reduce(0) { $0 + $1.count }, byteCount: byteCount) { writer in
      for part in parts { Self.write(part.entries[...], of: part, to: &writer) }
    }
  }
}
