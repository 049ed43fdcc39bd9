/// The global name of one record: 16 bytes, unique without coordination, and rising with time.
///
/// Bytes, most significant first: 48 bits of milliseconds since 1970 · 24 bits of a per-process
/// counter · 56 random bits. Ids that one process makes rise strictly, so inserts append to the
/// B-tree that clusters records by id.
public struct RecordID: Hashable, Comparable, Sendable {
  /// The first eight bytes, the time in their upper 48 bits.
  public let high: UInt64
  /// The last eight bytes.
  public let low: UInt64

  /// The length of an id in bytes.
  public static let byteCount = 16

  /// An id of its halves.
  @inlinable
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Whether an id comes before another, byte by byte.
  @inlinable
  public static func < (left: RecordID, right: RecordID) -> Bool {
    left.high != right.high ? left.high < right.high : left.low < right.low
  }
}

extension RecordID: CustomStringConvertible, LosslessStringConvertible, Codable {
  /// 32 lower-case hexadecimal digits.
  public var description: String { high.hexadecimal + low.hexadecimal }

  /// Reads 32 hexadecimal digits, of either case; nil for any other text.
  public init?(_ description: String) {
    guard description.utf8.count == 32, let high = UInt64(hexadecimal: description.prefix(16)),
      let low = UInt64(hexadecimal: description.suffix(16))
    else { return nil }
    self.init(high: high, low: low)
  }

  /// Reads the text of an id.
  /// - Throws: `DecodingError`.
  public init(from decoder: any Decoder) throws {
    let text = try decoder.singleValueContainer().decode(String.self)
    guard let id = RecordID(text) else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "a record id is 32 hexadecimal digits"))
    }
    self = id
  }

  /// Writes the id as text.
  /// - Throws: what the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

extension UInt64 {
  /// The number of sixteen hexadecimal digits, of either case; nil for any other text, also one with a sign.
  init?(hexadecimal digits: Substring) {
    guard digits.utf8.count == 16, digits.utf8.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }),
      let value = UInt64(digits, radix: 16)
    else { return nil }
    self = value
  }

  /// Sixteen lower-case hexadecimal digits.
  package var hexadecimal: String {
    let digits = String(self, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
