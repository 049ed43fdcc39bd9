import LMDB

/// Unsigned integers of one to ten bytes: seven bits a byte, least significant first, the high bit
/// says that more follow. Counts and ordinals are mostly below 128. A pointer file, for writers of many.
package enum VariableLength {
  package static func byteCount(_ value: UInt64) -> Int {
    // 64 - leading zeros significant bits, at least one, rounded up to sevens.
    (max(1, 64 - value.leadingZeroBitCount) + 6) / 7
  }

  /// Writes where there is room, and returns the end.
  @inline(__always)
  static func write(_ value: Int, at start: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer {
    var place = start
    var rest = UInt64(value)
    while rest >= 0x80 {
      place.storeBytes(of: UInt8(truncatingIfNeeded: rest) | 0x80, as: UInt8.self)
      place += 1
      rest >>= 7
    }
    place.storeBytes(of: UInt8(truncatingIfNeeded: rest), as: UInt8.self)
    return place + 1
  }
}

extension ByteWriter {
  package mutating func writeVariable(_ value: Int) { writeVariable(UInt64(value)) }

  package mutating func writeVariable(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      write(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    write(UInt8(rest))
  }

  /// Most significant byte first, as in keys.
  package mutating func write(_ id: RecordID) {
    write(id.high.byteSwapped)
    write(id.low.byteSwapped)
  }

  /// A text with its length before it.
  package mutating func writeText(_ text: String) {
    var text = text
    writeVariable(text.utf8.count)
    // The writer takes a raw pointer; the text's own bytes are lent for the call.
    text.withUTF8 { write(UnsafeRawBufferPointer($0)) }
  }
}

extension Array where Element == UInt8 {
  /// An array of a measured size, filled in one pass.
  package init(byteCount: Int, _ fill: (inout ByteWriter) -> Void) {
    guard byteCount > 0 else {
      // The initialiser below would write its count into the empty array that all threads share.
      self = []
      return
    }
    self.init(unsafeUninitializedCapacity: byteCount) { buffer, count in
      var writer = ByteWriter(UnsafeMutableRawBufferPointer(buffer))
      fill(&writer)
      count = writer.offset
    }
  }

  package mutating func append<Integer: FixedWidthInteger>(bigEndian value: Integer) {
    Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
  }
}
