package import LMDB

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Comparisons of bytes where they lie: no copies, no allocation. A pointer file, for the C library compares pointers.
extension RawBytes {
  package static func == (left: RawBytes, right: RawBytes) -> Bool {
    left.count == right.count && memcmp(left.start, right.start, left.count) == 0
  }

  package func hasPrefix(_ prefix: RawBytes) -> Bool {
    count >= prefix.count && memcmp(start, prefix.start, prefix.count) == 0
  }

  package func hasSuffix(_ suffix: RawBytes) -> Bool {
    count >= suffix.count && memcmp(start + (count - suffix.count), suffix.start, suffix.count) == 0
  }

  /// Where a byte occurs first.
  func firstPlace(of byte: UInt8) -> Int? {
    guard count > 0 else { return nil }
    return memchr(start, Int32(byte), count).map { start.distance(to: UnsafeRawPointer($0)) }
  }

  /// Whether `part` occurs anywhere; the empty part always does.
  package func contains(_ part: RawBytes) -> Bool {
    guard part.count > 0 else { return true }
    let first = Int32(part.load(at: 0, as: UInt8.self))
    var offset = 0
    // `memchr` looks at many bytes a cycle, so most are never compared one by one.
    while offset + part.count <= count, let found = memchr(start + offset, first, count - part.count + 1 - offset) {
      if memcmp(found, part.start, part.count) == 0 { return true }
      offset = start.distance(to: UnsafeRawPointer(found)) + 1
    }
    return false
  }

  /// Whether every byte belongs to a scalar that normalisation to NFC leaves alone in any company:
  /// below U+0300 (lead bytes below 0xCC), or Cyrillic U+0400–U+047F (lead bytes 0xD0 and 0xD1).
  /// Texts that pass are compared and sorted by their bytes; the others are normalised first.
  package var isNormalizedPlainly: Bool {
    buffer.allSatisfy { $0 < 0xCC || $0 == 0xD0 || $0 == 0xD1 }
  }

  package var isASCII: Bool { buffer.allSatisfy { $0 < 0x80 } }
}
