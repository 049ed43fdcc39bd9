import Foundation
package import RecordStore

/// Field values as plain JSON, read back with the field's type from the dump's schema line.
///
/// Exact in both directions: integers keep all digits, doubles are the shortest text that gives the same bits,
/// decimals are strings of all their digits. What JSON cannot say is a string: `"nan"`, `"-inf"`, `"nan:<bits>"`.
extension FieldValue {
  package var json: JSON {
    switch self {
    case .null: .null
    case .bool(let value): .bool(value)
    case .int(let value): .integer(value)
    case .uint(let value): .integer(value)
    case .double(let value): FieldValue.json(value)
    case .decimal(let value): .string(value.description)
    case .string(let value), .url(let value): .string(value)
    case .date(let value):
      DateText.exact(value).map { .string($0) } ?? FieldValue.json(value.timeIntervalSinceReferenceDate)
    case .uuid(let value): .string(value.uuidString.lowercased())
    case .data(let value), .composite(let value): .string(value.base64EncodedString())
    case .reference(let value): .string(value.description)
    }
  }

  /// Nil where the JSON is no value of the type.
  package init?(json: JSON, type: FieldType) {
    if json == .null {
      self = .null
      return
    }
    let value: FieldValue? =
      switch type {
      case .bool: json.boolValue.map { .bool($0) }
      case .int: json.integerValue(as: Int64.self).map { .int($0) }
      case .uint: json.integerValue(as: UInt64.self).map { .uint($0) }
      case .double: FieldValue.double(json).map { .double($0) }
      case .decimal: FieldValue.decimal(json).map { .decimal($0) }
      case .string: json.stringValue.map { .string($0) }
      case .url: json.stringValue.map { .url($0) }
      case .date: FieldValue.date(json).map { .date($0) }
      case .uuid: json.stringValue.flatMap { UUID(uuidString: $0) }.map { .uuid($0) }
      case .data: json.stringValue.flatMap { Data(base64Encoded: $0) }.map { .data($0) }
      case .composite: FieldValue.composite(json)
      case .reference: json.stringValue.flatMap { RecordID($0) }.map { .reference($0) }
      }
    guard let value else { return nil }
    self = value
  }

  /// Bytes as a dump has them, or the JSON that a person writes for a `Codable` value.
  private static func composite(_ json: JSON) -> FieldValue? {
    guard case .string(let text) = json else { return FieldValue(programJSON: json, type: .composite) }
    return Data(base64Encoded: text).map { .composite($0) }
  }

  private static func json(_ value: Double) -> JSON {
    if value.isFinite { return .number(value.description) }
    if value.isNaN {
      return .string(value.bitPattern == Double.nan.bitPattern ? "nan" : "nan:\(String(value.bitPattern, radix: 16))")
    }
    return .string(value < 0 ? "-inf" : "inf")
  }

  private static func double(_ json: JSON) -> Double? {
    switch json {
    case .number(let digits): NumberText.double(digits)
    case .string("nan"): .nan
    case .string("inf"): .infinity
    case .string("-inf"): -.infinity
    case .string(let text) where text.hasPrefix("nan:"):
      UInt64(text.dropFirst(4), radix: 16).map { Double(bitPattern: $0) }.flatMap { $0.isNaN ? $0 : nil }
    default: nil
    }
  }

  private static func decimal(_ json: JSON) -> Decimal? {
    switch json {
    case .string(let text): DecimalText.parse(text)
    // People write numbers; their digits are taken as they stand, never through a double.
    case .number(let digits): DecimalText.parse(digits)
    default: nil
    }
  }

  private static func seconds(_ text: Substring) -> Date? {
    let number: JSON = text.contains { $0 == "n" } ? .string(String(text)) : .number(String(text))
    return double(number).map { Date(timeIntervalSinceReferenceDate: $0) }
  }

  private static func date(_ json: JSON) -> Date? {
    if case .string(let text) = json, let date = DateText.parse(text) { return date }
    if case .string(let text) = json, text.hasSuffix(DateText.secondsMark) {
      return seconds(text.dropLast(DateText.secondsMark.count))
    }
    return double(json).map { Date(timeIntervalSinceReferenceDate: $0) }
  }
}
