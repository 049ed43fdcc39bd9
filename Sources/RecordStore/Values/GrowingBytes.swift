import LMDB

/// Bytes that grow at their end and are cleared and filled again: keys on their way into an index.
///
/// As an array of bytes, but what is appended is stored in place, in memory that is there already: an array's own
/// append of eight bytes is a call that takes twelve times as many instructions. A pointer file for that.
struct GrowingBytes: Sendable {
  /// Beyond ``count`` there is room.
  private var memory: [UInt8]
  private(set) var count = 0

  init(capacity: Int) { memory = [UInt8](repeating: 0, count: capacity) }

  mutating func removeAll() { count = 0 }

  mutating func truncate(to count: Int) {
    precondition(count <= self.count, "bytes are cut where they are")
    self.count = count
  }

  /// Makes room for so many more bytes.
  @inline(__always)
  mutating func reserve(_ additional: Int) {
    if count + additional > memory.count { grow(additional) }
  }

  @inline(never)
  private mutating func grow(_ additional: Int) {
    memory.append(contentsOf: repeatElement(0, count: max(64, memory.count, additional)))
  }

  @inline(__always)
  mutating func append(_ byte: UInt8) {
    reserve(1)
    memory[count] = byte
    count += 1
  }

  /// Most significant byte first.
  @inline(__always)
  mutating func append<Integer: FixedWidthInteger>(bigEndian value: Integer) {
    reserve(MemoryLayout<Integer>.size)
    memory.withUnsafeMutableBytes { $0.storeBytes(of: value.bigEndian, toByteOffset: count, as: Integer.self) }
    count += MemoryLayout<Integer>.size
  }

  @inline(__always)
  mutating func append(_ id: RecordID) {
    append(bigEndian: id.high)
    append(bigEndian: id.low)
  }

  @inline(__always)
  mutating func append(_ bytes: RawBytes) {
    reserve(bytes.count)
    memory.withUnsafeMutableBytes {
      UnsafeMutableRawBufferPointer(rebasing: $0[count...]).copyMemory(from: bytes.buffer)
    }
    count += bytes.count
  }

  mutating func invert(from start: Int) {
    for index in start..<count { memory[index] = ~memory[index] }
  }

  /// A copy.
  var bytes: [UInt8] { Array(memory[..<count]) }

  /// Gives the bytes away without a copy; there are none left, and no memory.
  mutating func take() -> [UInt8] {
    var taken: [UInt8] = []
    swap(&taken, &memory)
    taken.removeLast(taken.count - count)
    count = 0
    return taken
  }

  /// Lends the bytes to `body`; the view must not leave it.
  @inline(__always)
  func withRawBytes<Result, Failure: Error>(
    _ body: (RawBytes) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try memory.withRawBytes { (memory) throws(Failure) in try body(memory.slice(0..<count)) }
  }
}
