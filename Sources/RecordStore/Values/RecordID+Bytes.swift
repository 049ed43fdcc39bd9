public import LMDB

/// Sixteen bytes, most significant first, so that keys sort as ids do.
extension RecordID {
  /// Nil unless there are exactly sixteen bytes.
  @inlinable
  public init?(bytes: RawBytes) {
    guard bytes.count == RecordID.byteCount else { return nil }
    self.init(bytes: bytes, at: 0)
  }

  /// Reads the sixteen bytes at an offset that the caller has checked.
  @inlinable
  public init(bytes: RawBytes, at offset: Int) {
    self.init(
      high: bytes.load(at: offset, as: UInt64.self).byteSwapped,
      low: bytes.load(at: offset + 8, as: UInt64.self).byteSwapped)
  }

  /// The id that follows; nil after the greatest.
  var successor: RecordID? {
    if low < .max { return RecordID(high: high, low: low + 1) }
    return high < .max ? RecordID(high: high + 1, low: 0) : nil
  }

  package func append(to bytes: inout [UInt8]) {
    withUnsafeBytes(of: high.bigEndian) { bytes.append(contentsOf: $0) }
    withUnsafeBytes(of: low.bigEndian) { bytes.append(contentsOf: $0) }
  }

  /// The id as a key, without an allocation.
  @inlinable
  package func withRawBytes<Result, Failure: Error>(
    _ body: (RawBytes) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var words = (high.bigEndian, low.bigEndian)
    // `withUnsafeBytes(of:)` of an inout tuple lends its own storage: nothing is copied to the heap.
    return try withUnsafeBytes(of: &words) { (buffer) throws(Failure) in try body(RawBytes(buffer)) }
  }
}

extension RecordID {
  /// The id that every device derives from the same parts, such as a suite and a key: the first 16 bytes of
  /// the SHA-256 of the parts' NFC forms, each behind its length.
  package init(derivedFrom parts: [String]) {
    var bytes: [UInt8] = []
    for part in parts {
      let text = Array(CanonicalText.normalized(part).utf8)
      withUnsafeBytes(of: UInt32(text.count).littleEndian) { bytes.append(contentsOf: $0) }
      bytes += text
    }
    let digest = bytes.withRawBytes { StableHash.digest128($0) }
    self.init(high: digest.high, low: digest.low)
  }
}
