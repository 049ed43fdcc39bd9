package import Foundation

/// A value of type `data` in short: a byte in hexadecimal, a star, and how often it stands there, as in `7f*200`.
package struct RepeatedByte: Hashable, Sendable {
  private static let maximumCount = 1 << 20
  let byte: UInt8
  let count: Int

  /// Nil for every other text.
  package init?(_ text: String) {
    let parts = text.split(separator: "*", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].count == 2, let byte = UInt8(parts[0], radix: 16), let count = Int(parts[1]),
      (0...Self.maximumCount).contains(count)
    else { return nil }
    (self.byte, self.count) = (byte, count)
  }

  package var data: Data { Data(repeating: byte, count: count) }
}
