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
    let (head, tail) = parts(ofAtMost: partByteCount)
    let room = tail.isEmpty ? 0 : partByteCount
    var first = TransactionCodec.encode(
      transaction, recordCount: count, recordByteCount: max(head.byteCount, room)
    ) { head.write(to: &$0) }
    let rest = tail.map { part in [UInt8](byteCount: max(part.byteCount, room)) { part.write(to: &$0) } }
    if !rest.isEmpty { TransactionCodec.seal(&first, before: rest) }
    return OutgoingBytes(first, rest)
  }

  /// Writes the records as ``TransactionCodec`` does.
  func write(to writer: inout ByteWriter) {
    for piece in pieces {
      switch piece {
      case .rows(let part, let range): Self.write(drafts[part].entries[range], of: drafts[part], to: &writer)
      case .deletes(let part, let range):
        for entry in drafts[part].entries[range] {
          TransactionCodec.writeDelete(EntityNumber(entry.entity), entry.id, to: &writer)
        }
      case .facts(let facts): TransactionCodec.write([facts], to: &writer)
      }
    }
  }

  // With one part by its value: each look into an array of them would count references.
  private static func write(
    _ entries: ArraySlice<RecordDrafts.Entry>, of part: RecordDrafts, to writer: inout ByteWriter
  ) {
    for entry in entries {
      part.withBytes(of: entry) { TransactionCodec.write($0, id: entry.id, isNew: entry.isNew, to: &writer) }
    }
  }

  /// The same records in one part or more, each of at most so many bytes or of one record.
  func parts(ofAtMost limit: Int) -> (first: OutgoingRecords, rest: [OutgoingRecords]) {
    guard byteCount > limit, count > 1 else { return (self, []) }
    var (left, right): ([Piece], [Piece]) = ([], [])
    var missing = count / 2
    for piece in pieces {
      let here = min(missing, piece.count)
      missing -= here
      if here > 0 { left.append(piece.part(0..<here)) }
      if here < piece.count { right.append(piece.part(here..<piece.count)) }
    }
    let begin = OutgoingRecords(left, of: drafts).parts(ofAtMost: limit)
    let end = OutgoingRecords(right, of: drafts).parts(ofAtMost: limit)
    return (begin.first, begin.rest + [end.first] + end.rest)
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
