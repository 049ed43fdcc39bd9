package import LMDB

/// Copies records out of the map, several into one buffer: an allocation takes longer than to copy a record.
///
/// A buffer stays as long as one of its records is held, so buffers are small: the first has the size of its record,
/// each further one twice that of the one before, up to ``largestByteCount``. A pointer file: a buffer's bytes are
/// written where they will be read.
package struct RecordCopier {
  private typealias Buffer = ManagedBuffer<Void, UInt8>

  /// Of a buffer with more than one record.
  private static let largestByteCount = 2_048

  private var buffer: Buffer?
  private var used = 0
  private var capacity = 0

  package init() {}

  /// A copy of a record, checked: throws `damaged` on a wrong checksum.
  package mutating func image(of bytes: RawBytes, id: RecordID, entity: EntityNumber) throws -> RecordImage {
    let image = copy(bytes, id: id)
    try RecordFormat.verify(image.bytes, id: id, entity: entity)
    return image
  }

  private mutating func copy(_ bytes: RawBytes, id: RecordID) -> RecordImage {
    let buffer = room(for: bytes.count)
    let start = buffer.withUnsafeMutablePointerToElements { UnsafeMutableRawPointer($0) + used }
    start.copyMemory(from: bytes.start, byteCount: bytes.count)
    // Numbers in a record are read fastest where they do not cross a line of the processor's nearest memory.
    used = (used + bytes.count + 7) & ~7
    return RecordImage(id: id, bytes: RawBytes(start: start, count: bytes.count), owner: buffer)
  }

  private mutating func room(for count: Int) -> Buffer {
    if let buffer, used + count <= capacity { return buffer }
    let made = max(count, min(2 * capacity, Self.largestByteCount))
    let buffer = Buffer.create(minimumCapacity: made) { _ in }
    self.buffer = buffer
    (used, capacity) = (0, made)
    return buffer
  }
}
