import LMDB

/// A half-open interval of an index's keys; no upper bound is the end of the index.
package struct KeyRange: Hashable, Sendable {
  package var lower: [UInt8]
  package var upper: [UInt8]?

  init(lower: [UInt8], upper: [UInt8]?) {
    self.lower = lower
    self.upper = upper
  }

  /// Every key that begins with `prefix`.
  init(prefix: [UInt8]) { self.init(lower: prefix, upper: prefix.successor) }

  var isEmpty: Bool { upper.map { !lower.lexicographicallyPrecedes($0) } ?? false }

  func contains(_ key: RawBytes) -> Bool {
    lower.withRawBytes { key.compare($0) >= 0 } && isBelowUpper(key)
  }

  func isBelowUpper(_ key: RawBytes) -> Bool {
    guard let upper else { return true }
    return upper.withRawBytes { key.compare($0) < 0 }
  }

  mutating func raiseLower(to bound: [UInt8]) {
    if lower.lexicographicallyPrecedes(bound) { lower = bound }
  }

  /// `bound` nil: no bound.
  mutating func lowerUpper(to bound: [UInt8]?) {
    guard let bound else { return }
    if upper.map({ bound.lexicographicallyPrecedes($0) }) ?? true { upper = bound }
  }
}

extension [UInt8] {
  /// The least key above every key that begins with these bytes; nil if there is none.
  package var successor: [UInt8]? {
    var bytes = self
    while bytes.last == 0xFF { bytes.removeLast() }
    guard !bytes.isEmpty else { return nil }
    bytes[bytes.count - 1] += 1
    return bytes
  }
}
