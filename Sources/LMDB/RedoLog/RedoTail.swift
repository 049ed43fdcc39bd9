/// How far the records of a redo log go, from a checkpoint on.
struct RedoTail {
  /// A generation that is longer takes more room in the data file, which reuses no page of its checkpoint's snapshot.
  static let maximumCount = 64

  let generation: UInt64
  let checkpoint: RedoCheckpoint
  private(set) var lastTransactionID: UInt64
  private(set) var end = RedoFile.firstRecord
  private(set) var count = 0

  init(generation: UInt64, checkpoint: RedoCheckpoint) {
    self.generation = generation
    self.checkpoint = checkpoint
    lastTransactionID = checkpoint.transactionID
  }

  /// The generation that a file holds, as far as its first record's header tells.
  init?(beginningOf file: RedoFile) throws {
    guard let first = try file.header(at: RedoFile.firstRecord) else { return nil }
    self.init(generation: first.generation, checkpoint: first.checkpoint)
  }

  /// The record after the last one, if the file has a whole one.
  func next(in file: RedoFile) throws -> RedoRecord? {
    guard let header = try file.header(at: end), header.generation == generation,
      header.transactionID == lastTransactionID &+ 1, header.checkpoint == checkpoint
    else { return nil }
    return try file.record(header, at: end)
  }

  func hasRoom(for byteCount: Int) -> Bool {
    count < Self.maximumCount && end + byteCount <= RedoFile.endOfRecords
  }

  mutating func advance(over byteCount: Int) {
    end = RedoFile.end(of: byteCount, at: end)
    lastTransactionID += 1
    count += 1
  }
}
