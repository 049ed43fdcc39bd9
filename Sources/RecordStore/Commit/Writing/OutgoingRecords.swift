/// Records that a local save has made, rewritten or deleted, as other devices are told of them.
struct OutgoingRecords: Sendable {
  let count: Int
  /// At least as many bytes as `write` writes.
  let byteCount: Int
  private let pieces: [Piece]
  private let drafts: [RecordDrafts]

  /// Records of a save, in their order: rows of one part of its drafts, records that are deleted, or what a rule made
  /// of a record.
  enum Piece: Sendable {
    case rows(part: Int, Range<Int>)
    case deletes(part: Int, Range<Int>)
    case facts(RecordFacts)
  }

  init(_ pieces: [Piece], of drafts: [RecordDrafts]) {
    var (count, byteCount) = (0, 0)
    for piece in pieces {
      count += piece.count
      byteCount += piece.byteCount(in: drafts)
    }
    (self.count, self.byteCount, self.pieces, self.drafts) = (count, byteCount, pieces, drafts)
  }

  init(_ drafts: [RecordDrafts]) {
    self.init(drafts.indices.map { .rows(part: $0, drafts[$0].entries.indices) }, of: drafts)
  }

  /// The bytes of a transaction that tells of the records and is otherwise as given, where they are many in parts
  /// that have room for so many at least.
  func encoded(
    in transaction: TransactionFacts, partByteCount: Int = OutgoingBytes.partByteCount
  ) -> OutgoingBytes {
    let parts = parts(ofAtMost: partByteCount)
    let room = parts.count > 1 ? partByteCount : 0
    var first = TransactionCodec.encode(
      transaction, recordCount: count, recordByteCount: max(parts[0].byteCount, room), write: parts[0].write)
    let rest = parts.dropFirst().map { part in [UInt8](byteCount: max(part.byteCount, room), part.write) }
    if !rest.isEmpty { TransactionCodec.seal(&first, before: rest) }
    return OutgoingBytes(parts: [first] + rest)
  }

  /// Writes the records as ``TransactionCodec`` does.
  func write(to writer: inout ByteWriter) {
    for piece in pieces {
      switch piece {
      case .rows(let part, let range):
        for entry in drafts[part].entries[range] {
          drafts[part].withBytes(of: entry) {
            TransactionCodec.write($0, id: entry.id, isNew: entry.isNew, to: &writer)
          }
        }
      case .deletes(let part, let range):
        for entry in drafts[part].entries[range] {
          TransactionCodec.writeDelete(EntityNumber(entry.entity), entry.id, to: &writer)
        }
      case .facts(let facts): TransactionCodec.write([facts], to: &writer)
      }
    }
  }

  /// The same records in one part or more, each of at most so many bytes or of one record.
  func parts(ofAtMost limit: Int) -> [OutgoingRecords] {
    guard byteCount > limit, count > 1 else { return [self] }
    var (first, rest): ([Piece], [Piece]) = ([], [])
    var left = count / 2
    for piece in pieces {
      let here = min(left, piece.count)
      left -= here
      if here > 0 { first.append(piece.part(0..<here)) }
      if here < piece.count { rest.append(piece.part(here..<piece.count)) }
    }
    return [first, rest].flatMap { OutgoingRecords($0, of: drafts).parts(ofAtMost: limit) }
  }
}

extension OutgoingRecords.Piece {
  fileprivate var count: Int {
    switch self {
    case .rows(_, let range), .deletes(_, let range): range.count
    case .facts: 1
    }
  }

  fileprivate func byteCount(in drafts: [RecordDrafts]) -> Int {
    switch self {
    case .rows(let part, let range):
      drafts[part].entries[range].reduce(0) { $0 + TransactionCodec.maximumByteCount(ofStored: Int($1.count)) }
    case .deletes(_, let range): TransactionCodec.deleteByteCount * range.count
    case .facts(let facts): TransactionCodec.byteCount(of: [facts])
    }
  }

  /// Some of its records, by their places in it.
  fileprivate func part(_ places: Range<Int>) -> Self {
    switch self {
    case .rows(let part, let range):
      .rows(part: part, range.lowerBound + places.lowerBound..<range.lowerBound + places.upperBound)
    case .deletes(let part, let range):
      .deletes(part: part, range.lowerBound + places.lowerBound..<range.lowerBound + places.upperBound)
    case .facts: self
    }
  }
}
