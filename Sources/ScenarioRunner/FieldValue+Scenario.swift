import Foundation
import RecordStore

extension FieldType {
  init?(scenarioName name: String) {
    switch name {
    case "string": self = .string
    case "int": self = .int
    case "double": self = .double
    case "decimal": self = .decimal
    case "bool": self = .bool
    case "date": self = .date
    case "uuid": self = .uuid
    case "data", "file": self = .data
    default: return nil
    }
  }
}

extension FieldValue {
  /// A default's text after the equals sign.
  init(text: String, type: FieldType, _ reader: JSONReader) throws {
    switch type {
    case .string, .uuid, .data, .decimal: self = try FieldValue(.string(text), type: type, reader)
    case .bool:
      guard let flag = Bool(text) else { throw reader.failure("\"\(text)\" is neither true nor false") }
      self = .bool(flag)
    case .int:
      guard let number = Int64(text) else { throw reader.failure("\"\(text)\" is no 64-bit whole number") }
      self = .int(number)
    default:
      let number = Double(text).map { JSONValue.number($0) }
      self = try FieldValue(number ?? .string(text), type: type, reader)
    }
  }

  /// The value that JSON stands for. Dates are seconds since 2001 or ISO 8601 text, decimals numbers or text, data
  /// hexadecimal, base64 or a ``RepeatedByte``. What JSON cannot say of a double (`nan`, `inf`, `-0`) is text.
  init(_ value: JSONValue, type: FieldType, _ reader: JSONReader) throws {
    switch (value, type) {
    case (.null, _): self = .null
    case (.bool(let flag), .bool): self = .bool(flag)
    case (.integer(let number), .bool) where number == 0 || number == 1: self = .bool(number == 1)
    case (.integer(let number), .int): self = .int(number)
    case (.integer(let number), .double): self = .double(Double(number))
    case (.integer(let number), .date): self = .date(Date(timeIntervalSinceReferenceDate: Double(number)))
    case (.integer(let number), .decimal): self = .decimal(Decimal(number))
    case (.number(let number), .int):
      guard let whole = Int64(exactly: number) else { throw reader.failure("\(number) is no 64-bit whole number") }
      self = .int(whole)
    case (.number(let number), .double): self = .double(number)
    case (.number(let number), .date): self = .date(Date(timeIntervalSinceReferenceDate: number))
    case (.number(let number), .decimal): self = .decimal(try FieldValue.decimal("\(number)", reader))
    case (.string(let text), .string): self = .string(text)
    case (.string(let text), .double):
      guard let number = Double(text) else { throw reader.failure("\"\(text)\" is no number") }
      self = .double(number)
    case (.string(let text), .decimal): self = .decimal(try FieldValue.decimal(text, reader))
    case (.string(let text), .date):
      do {
        self = .date(try Date(text, strategy: .iso8601))
      } catch {
        throw reader.failure("\"\(text)\" is no date; write seconds since 2001, or such as 2030-01-31T12:00:00Z")
      }
    case (.string(let text), .uuid):
      guard let uuid = UUID(uuidString: text) else { throw reader.failure("\"\(text)\" is no UUID") }
      self = .uuid(uuid)
    case (.string(let text), .data):
      self = .data(try FieldValue.bytes(text, reader))
    default: throw reader.failure("\(value) is no value of type \(type)")
    }
  }

  /// The whole text is one decimal number; the exponent may be there.
  private static func decimal(_ text: String, _ reader: JSONReader) throws -> Decimal {
    let isNumber = text.allSatisfy { $0.isASCII && ($0.isNumber || "+-.eE".contains($0)) }
    guard isNumber, let number = Decimal(string: text, locale: nil), number.isFinite else {
      throw reader.failure("\"\(text)\" is no decimal")
    }
    return number
  }

  private static func bytes(_ text: String, _ reader: JSONReader) throws -> Data {
    if let repeated = RepeatedByte(text) { return repeated.data }
    let digits = text.compactMap(\.hexDigitValue)
    if digits.count == text.count, digits.count.isMultiple(of: 2) {
      return Data(stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) })
    }
    guard let bytes = Data(base64Encoded: text) else {
      throw reader.failure(
        "\"\(text)\" is neither hexadecimal nor base64, nor a byte and how often it stands there, as in 7f*200")
    }
    return bytes
  }
}
