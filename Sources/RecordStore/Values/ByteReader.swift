package import LMDB

/// Reads numbers and values one after another, and throws `damaged` instead of reading beyond the end.
///
/// A pointer-free cursor over borrowed bytes: valid as long as they are. Lengths are compared with what
/// is left before anything is allocated for them.
package struct ByteReader {
  package let bytes: RawBytes
  package private(set) var offset = 0
  /// The thing that is read, for the error's sentence.
  package let subject: String

  package init(_ bytes: RawBytes, subject: String) {
    self.bytes = bytes
    self.subject = subject
  }

  package var remaining: Int { bytes.count - offset }
  package var isAtEnd: Bool { remaining == 0 }

  package mutating func read<Integer: FixedWidthInteger>(as type: Integer.Type = Integer.self) throws -> Integer {
    let size = MemoryLayout<Integer>.size
    guard remaining >= size else { throw damaged("it ends early") }
    defer { offset += size }
    return bytes.load(at: offset, as: type)
  }

  package mutating func read(count: Int) throws -> RawBytes {
    guard count >= 0, count <= remaining else { throw damaged("a length is larger than the rest") }
    defer { offset += count }
    return bytes.slice(offset..<offset + count)
  }

  package mutating func readVariable() throws -> UInt64 {
    var value: UInt64 = 0
    for shift in stride(from: 0, through: 63, by: 7) {
      let byte = try read(as: UInt8.self)
      guard shift < 63 || byte <= 1 else { break }
      value |= UInt64(byte & 0x7F) << UInt64(shift)
      if byte & 0x80 == 0 { return value }
    }
    throw damaged("a number is too large")
  }

  /// A number of things that take at least `minimumSize` bytes each, so never more than the bytes justify.
  package mutating func readCount(minimumSize: Int = 1) throws -> Int {
    let count = try readVariable()
    guard count <= UInt64(remaining / minimumSize) else { throw damaged("a count is larger than the rest") }
    return Int(count)
  }

  /// A number that must fit `limit`.
  package mutating func readNumber(through limit: Int = Int(UInt32.max)) throws -> Int {
    let number = try readVariable()
    guard number <= UInt64(limit) else { throw damaged("a number is too large") }
    return Int(number)
  }

  /// The place of a transaction in a stream, or 0 for none.
  package mutating func readSequence() throws -> UInt64 {
    let sequence = try readVariable()
    guard sequence <= Dot.greatestSequence else { throw damaged("a sequence number is too large") }
    return sequence
  }

  package mutating func readID() throws -> RecordID {
    let place = try read(count: RecordID.byteCount)
    return RecordID(bytes: place, at: 0)
  }

  package mutating func readStamp() throws -> Stamp {
    let place = try read(count: Stamp.byteCount)
    return Stamp(encoded: place, at: 0)
  }

  package mutating func readText() throws -> String {
    let count = try readCount()
    let text = try read(count: count)
    return String(decoding: text.buffer, as: UTF8.self)
  }

  package func damaged(_ flaw: String) -> StoreError {
    StoreError(.damaged, "\(subject) is damaged (\(flaw)): restore it from a copy or by sync")
  }
}
