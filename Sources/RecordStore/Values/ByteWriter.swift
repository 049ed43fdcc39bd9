import Foundation

/// Writes numbers and values one after another into memory that the caller lends: a new array's storage
/// or a page of the store, so that a record is never built elsewhere and copied.
///
/// A pointer file: the destination of LMDB's reserved values is a bare pointer. Every write is checked
/// against the end in all builds, for a record too short by mistake must not run over its page.
package struct ByteWriter {
  private let buffer: UnsafeMutableRawBufferPointer
  package private(set) var offset = 0

  package init(_ buffer: UnsafeMutableRawBufferPointer) { self.buffer = buffer }

  package mutating func write<Integer: FixedWidthInteger>(_ value: Integer) {
    let size = MemoryLayout<Integer>.size
    precondition(offset + size <= buffer.count, "a record is longer than the room measured for it")
    buffer.storeBytes(of: value.littleEndian, toByteOffset: offset, as: Integer.self)
    offset += size
  }

  package mutating func write(_ bytes: UnsafeRawBufferPointer) {
    precondition(offset + bytes.count <= buffer.count, "a record is longer than the room measured for it")
    UnsafeMutableRawBufferPointer(rebasing: buffer[offset...]).copyMemory(from: bytes)
    offset += bytes.count
  }

  /// Lends room for `count` bytes; `fill` writes as many of them as it says. The end is checked once for all.
  mutating func write(atMost count: Int, _ fill: (UnsafeMutableRawPointer) -> Int) {
    precondition(offset + count <= buffer.count, "a record is longer than the room measured for it")
    guard count > 0, let start = buffer.baseAddress else { return }
    let written = fill(start + offset)
    assert(written <= count, "more was written than there was room for")
    offset += written
  }

  /// Lends room for exactly `count` bytes to a writer of its own, for what takes a checksum of all that it has
  /// written.
  mutating func writePart(count: Int, _ fill: (inout ByteWriter) -> Void) {
    precondition(offset + count <= buffer.count, "a record is longer than the room measured for it")
    var part = ByteWriter(UnsafeMutableRawBufferPointer(rebasing: buffer[offset..<offset + count]))
    fill(&part)
    assert(part.offset == count, "less was written than there was room for")
    offset += count
  }

  package mutating func write(_ stamp: Stamp) {
    write(stamp.time)
    write(stamp.counter)
    write(stamp.replica.value)
  }

  /// Overwrites what was written before.
  package func patch<Integer: FixedWidthInteger>(_ value: Integer, at position: Int) {
    precondition(
      position >= 0 && position + MemoryLayout<Integer>.size <= offset, "a patch lies within what is written")
    buffer.storeBytes(of: value.littleEndian, toByteOffset: position, as: Integer.self)
  }

  /// A value's payload; nothing for null.
  package mutating func write(_ value: FieldValue) {
    switch value {
    case .null: break
    case .bool(let value): write(value ? 1 as UInt8 : 0)
    case .int(let value): write(value)
    case .uint(let value): write(value)
    case .double(let value): write(value.bitPattern)
    case .date(let value): write(value.timeIntervalSinceReferenceDate.bitPattern)
    case .decimal(let value): write(DecimalParts(value))
    case .string(var value), .url(var value): value.withUTF8 { write(UnsafeRawBufferPointer($0)) }
    case .uuid(let value): withUnsafeBytes(of: value.uuid) { write($0) }
    case .data(let value), .composite(let value): value.withUnsafeBytes { write($0) }
    case .reference(let value):
      write(value.high.byteSwapped)
      write(value.low.byteSwapped)
    }
  }

  private mutating func write(_ parts: DecimalParts) {
    parts.forEachByte { write($0) }
  }

  /// The bytes that were written so far, for the checksum.
  package var written: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: buffer[..<offset]) }
}
