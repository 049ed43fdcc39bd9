import RecordStore

/// The blocks of a change set's payload, which the processor's cores share: each is packed and unpacked for itself. See
/// ``ChangeSetCodec`` for how they lie in a file.
///
/// A pointer file: blocks are unpacked where the payload will be.
enum PayloadBlocks {
  /// So few are done before another thread is awake.
  private static let fewWorks = 4

  /// The blocks as they lie in the file: packed, where that makes fewer bytes of one.
  static func blocks(of payload: [UInt8], isPacked: Bool) -> [ArraySlice<UInt8>] {
    let blocks = stride(from: 0, to: payload.count, by: ChangeSetHeader.maximumBlockBytes).map { start in
      payload[start..<min(start + ChangeSetHeader.maximumBlockBytes, payload.count)]
    }
    return isPacked ? values(of: blocks.map { block in { BlockPacker.pack(block)?[...] ?? block } }) : blocks
  }

  /// The bytes that all blocks of a file hold; `bytes` are those between its header and its trailer. Throws
  /// `damagedFile`.
  static func payload(
    of header: ChangeSetHeader, in bytes: ArraySlice<UInt8>, subject: String
  ) throws -> [UInt8] {
    var reader = FileReader(bytes, subject: subject)
    let runs = try runs(of: header, in: &reader)
    try reader.end()
    let payload = [UInt8](unsafeUninitializedCapacity: header.payloadBytes) { room, count in
      // Each run has a place of its own there, and all are done when this ends.
      nonisolated(unsafe) let room = UnsafeMutableRawBufferPointer(room)
      let works = runs.map { run in
        { @Sendable in
          (try? run.unpack(into: UnsafeMutableRawBufferPointer(rebasing: room[run.place]), header, subject)) != nil
        }
      }
      count = values(of: works).allSatisfy(\.self) ? header.payloadBytes : 0
    }
    guard payload.count == header.payloadBytes else { throw reader.damage }
    return payload
  }

  /// Divides the blocks, of which another writer may have made many small ones.
  private static func runs(of header: ChangeSetHeader, in reader: inout FileReader) throws -> [Run] {
    var runs: [Run] = []
    var place = 0
    while place < header.payloadBytes {
      var run = reader
      let (start, remaining) = (place, reader.remaining)
      while place < header.payloadBytes, place - start < ChangeSetHeader.maximumBlockBytes {
        place += try Run.block(at: place, of: header, from: &reader).byteCount
      }
      runs.append(Run(bytes: try run.take(remaining - reader.remaining), place: start..<place))
    }
    return runs
  }

  private static func values<Value: Sendable>(of works: [@Sendable () -> Value]) -> [Value] {
    SideWork.values(of: works, threads: works.count < fewWorks ? 1 : ProcessorCores.shares)
  }
}

/// Blocks that follow each other, as they lie in the file.
private struct Run: Sendable {
  let bytes: ArraySlice<UInt8>
  /// The place in the payload of what they hold.
  let place: Range<Int>

  /// Throws if a block is not as it was written, or does not hold as much as it should.
  func unpack(into room: UnsafeMutableRawBufferPointer, _ header: ChangeSetHeader, _ subject: String) throws {
    var reader = FileReader(bytes, subject: subject)
    var filled = 0
    while filled < room.count {
      let block = try Run.block(at: place.lowerBound + filled, of: header, from: &reader)
      let blockRoom = UnsafeMutableRawBufferPointer(rebasing: room[filled..<filled + block.byteCount])
      guard block.checksum == CRC32C.checksum(block.stored) else { throw reader.damage }
      if block.stored.count == block.byteCount {
        block.stored.withUnsafeBytes { blockRoom.copyMemory(from: $0) }
      } else if !BlockPacker.unpack(block.stored, into: blockRoom) {
        throw reader.damage
      }
      filled += block.byteCount
    }
  }

  /// The next block, and how many bytes it holds.
  static func block(
    at place: Int, of header: ChangeSetHeader, from reader: inout FileReader
  ) throws -> (stored: ArraySlice<UInt8>, checksum: UInt32, byteCount: Int) {
    let length = Int(try reader.integer(UInt32.self))
    let checksum: UInt32 = try reader.integer()
    let byteCount = min(header.blockBytes, header.payloadBytes - place)
    guard header.isPacked ? length <= byteCount : length == byteCount else { throw reader.damage }
    return (try reader.take(length), checksum, byteCount)
  }
}
