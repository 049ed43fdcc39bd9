/// Builds the little-endian bytes of a file or an entry.
struct FileWriter {
  private(set) var bytes: [UInt8] = []

  init(reserving count: Int = 0) { bytes.reserveCapacity(count) }

  mutating func put<Integer: FixedWidthInteger>(_ value: Integer) {
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func put(raw other: some Collection<UInt8>) { bytes.append(contentsOf: other) }

  /// A length of 32 bits, then the bytes.
  mutating func put(counted other: some Collection<UInt8>) {
    put(UInt32(other.count))
    put(raw: other)
  }

  mutating func put(_ text: String) { put(counted: text.utf8) }

  /// The SHA-256 of all so far, then `magic`.
  ///
  /// - Returns: The SHA-256 of the whole.
  mutating func seal(with magic: [UInt8]) -> ContentHash { ContentHash.append(to: &bytes, end: magic) }
}
