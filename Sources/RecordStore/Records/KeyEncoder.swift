import Foundation
package import LMDB

/// Turns values into bytes whose order is the values' order, so that `memcmp` can sort them:
/// `compare(encode(a), encode(b)) == compare(a, b)` for every type, as Swift compares its values.
///
/// One component after another, each complete in itself (no component's bytes are a prefix of another
/// component's), so a compound key sorts by its components in turn:
///
/// ```
/// nil        00
/// otherwise  01, then
///   bool       00 or 01
///   int        8 bytes, most digits first, sign bit inverted
///   uint       8 bytes, most digits first
///   double     the IEEE bits, most digits first: all inverted if negative, else the sign bit inverted.
///   date       -0 is written as 0, and every not-a-number as FF…FF: last
///   uuid       16 bytes
///   reference  16 bytes
///   decimal    see `append(_: DecimalParts)`
///   string     the UTF-8 of the NFC form with 00 -> 01 01 and 01 -> 01 02, then 00: composed and decomposed
///   url        forms are equal, as in Swift, and a prefix comes before what continues it
///   string as for people    its ``CollationKey``, then 00
///   data       the bytes, escaped in the same way
///   composite
/// ```
/// A descending component has all its bytes inverted.
///
/// The encoder is meant to be kept and cleared: its memory is reused, and plain texts need no other.
package struct KeyEncoder: Equatable {
  // No memory before there is a key: most commits use only one of the encoders that they have.
  private var key = GrowingBytes(capacity: 0)

  package init() {}

  /// A copy of the key; ``withRawBytes(_:)`` lends it.
  package var bytes: [UInt8] { key.bytes }
  package var count: Int { key.count }

  /// Gives the key away without a copy: for one that is made once.
  package mutating func take() -> [UInt8] { key.take() }

  package func withRawBytes<Result, Failure: Error>(
    _ body: (RawBytes) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try key.withRawBytes(body)
  }

  /// Whether the key is this one.
  package func holds(_ bytes: [UInt8]) -> Bool {
    key.withRawBytes { key in bytes.withRawBytes { key == $0 } }
  }

  package static func == (left: KeyEncoder, right: KeyEncoder) -> Bool {
    left.key.withRawBytes { left in right.key.withRawBytes { left == $0 } }
  }

  package mutating func removeAll() { key.removeAll() }

  /// Appends a component with a value at hand.
  package mutating func append(_ value: FieldValue, isDescending: Bool = false, isForPeople: Bool = false) {
    let start = key.count
    if isForPeople, case .string(let text) = value {
      text.withRawBytes { append(forPeople: $0) }
    } else {
      appendAscending(value)
    }
    if isDescending { key.invert(from: start) }
  }

  /// Appends a component from a record's payload; nil is null.
  package mutating func append(
    encoded field: RawBytes?, type: FieldType, isDescending: Bool = false, isForPeople: Bool = false
  ) {
    let start = key.count
    if let field {
      if isForPeople { append(forPeople: field) } else { appendAscending(field, type: type) }
    } else {
      key.append(0)
    }
    if isDescending { key.invert(from: start) }
  }

  /// Appends what a component for people begins with in all texts that begin with `text`.
  package mutating func append(prefixForPeople text: String, isDescending: Bool) {
    let start = key.count
    key.append(1)
    CollationKey.prefix(of: text).withRawBytes { key.append($0) }
    if isDescending { key.invert(from: start) }
  }

  package mutating func truncate(to count: Int) { key.truncate(to: count) }

  /// Appends a record's id as it is: the last part of keys that are not unique.
  package mutating func append(raw id: RecordID) { key.append(id) }

  /// Appends a key that was made before.
  package mutating func append(raw bytes: RawBytes) { key.append(bytes) }

  private mutating func appendAscending(_ value: FieldValue) {
    guard value != .null else {
      key.append(0)
      return
    }
    key.append(1)
    switch value {
    case .null: break
    case .bool(let value): key.append(value ? 1 : 0)
    case .int(let value): append(integer: value)
    case .uint(let value): append(word: value)
    case .double(let value): append(double: value)
    case .date(let value): append(double: value.timeIntervalSinceReferenceDate)
    case .decimal(let value): append(DecimalParts(value))
    case .string(let value), .url(let value): value.withRawBytes { append(text: $0) }
    case .uuid(let value): withUnsafeBytes(of: value.uuid) { key.append(RawBytes($0)) }
    case .reference(let value): key.append(value)
    case .data(let value): value.withUnsafeBytes { append(data: RawBytes($0)) }
    case .composite(let value): value.withUnsafeBytes { append(escaping: RawBytes($0)) }
    }
  }

  private mutating func appendAscending(_ field: RawBytes, type: FieldType) {
    // Damaged bytes, which the checksum reports elsewhere, sort as nil.
    guard type.fixedByteCount.map({ $0 == field.count }) ?? true else {
      key.append(0)
      return
    }
    key.append(1)
    switch type {
    case .bool: key.append(field.load(at: 0, as: UInt8.self) != 0 ? 1 : 0)
    case .int: append(integer: field.load(at: 0, as: Int64.self))
    case .uint: append(word: field.load(at: 0, as: UInt64.self))
    case .double, .date: append(double: Double(bitPattern: field.load(at: 0, as: UInt64.self)))
    case .decimal: append(DecimalParts(encoded: field) ?? DecimalParts(.nan))
    case .string, .url: append(text: field)
    case .uuid, .reference: key.append(field)
    case .data: append(data: field)
    case .composite: append(escaping: field)
    }
  }

  /// The bytes of the value, wherever they lie: an index may be newer than a reference in its field. Where the file is
  /// missing, the reference stands for them.
  private mutating func append(data field: RawBytes) {
    guard ExternalReference.isOne(field), let value = ExternalFolders.content(of: field) else {
      return append(escaping: field)
    }
    value.withUnsafeBytes { append(escaping: RawBytes($0)) }
  }

  private mutating func append(word: UInt64) {
    key.append(bigEndian: word)
  }

  private mutating func append(integer: Int64) {
    append(word: UInt64(bitPattern: integer) ^ 1 << 63)
  }

  private mutating func append(double: Double) {
    guard !double.isNaN else { return append(word: .max) }
    let bits = (double == 0 ? 0 : double).bitPattern
    append(word: bits >> 63 == 1 ? ~bits : bits | 1 << 63)
  }

  private mutating func append(text: RawBytes) {
    guard !text.isNormalizedPlainly else { return append(escaping: text) }
    CanonicalText.withNormalized(text) { append(escaping: $0) }
  }

  private mutating func append(forPeople text: RawBytes) {
    key.append(1)
    CollationKey.append(text, to: &key)
    key.append(0)
  }

  /// Bytes that end with 00 and contain none, in the same order as without.
  private mutating func append(escaping field: RawBytes) {
    if field.buffer.allSatisfy({ $0 > 1 }) {
      key.append(field)
    } else {
      for byte in field.buffer {
        if byte > 1 {
          key.append(byte)
        } else {
          key.append(1)
          key.append(byte + 1)
        }
      }
    }
    key.append(0)
  }

  /// Sign: 1 negative, 2 zero, 3 positive, 4 not a number. Then, for numbers other than zero written as
  /// 0.d₁d₂…dₙ × 10^e with d₁ and dₙ not zero: e + 256 in two bytes, most digits first; two digits a
  /// byte as 1 + their value (1–100), the last filled up with 0; then 00. All but the sign inverted if negative.
  private mutating func append(_ parts: DecimalParts) {
    guard !parts.isNotANumber else { return key.append(4) }
    guard parts.mantissa != 0 else { return key.append(2) }
    key.append(parts.isNegative ? 1 : 3)
    let start = key.count
    var digits = Self.digits(of: parts.mantissa)
    let exponent = UInt16(Int(parts.exponent) + digits.count + 256)
    key.append(UInt8(exponent >> 8))
    key.append(UInt8(truncatingIfNeeded: exponent))
    while digits.last == 0 { digits.removeLast() }
    for index in stride(from: 0, to: digits.count, by: 2) {
      let second = index + 1 < digits.count ? digits[index + 1] : 0
      key.append(1 + digits[index] * 10 + second)
    }
    key.append(0)
    if parts.isNegative { key.invert(from: start) }
  }

  private static func digits(of mantissa: UInt128) -> [UInt8] {
    var digits: [UInt8] = []
    var rest = mantissa
    while rest > 0 {
      digits.append(UInt8(truncatingIfNeeded: rest % 10))
      rest /= 10
    }
    return digits.reversed()
  }
}
