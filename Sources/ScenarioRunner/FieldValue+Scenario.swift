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
    case "data": self = .data
    default: return nil
    }
  }
}

extension FieldValue {
  /// A default's text after the equals sign.
  init(text: String, type: FieldType, _ reader: JSONReader) throws {
    switch type {
    case .string, .uuid, .data, .decimal: self = try FieldValue(.string(text), type: type, reader)
    case .bool: self = .bool(text == "true")
    default:
      guard let number = Double(text) else { throw reader.failure("\"\(text)\" is no number") }
      self = try FieldValue(.number(number), type: type, reader)
    }
  }

  /// The value that JSON stands for. Dates are seconds since 2001, decimals numbers or text, data hexadecimal.
  init(_ value: JSONValue, type: FieldType, _ reader: JSONReader) throws {
    switch (value, type) {
    case (.null, _): self = .null
    case (.bool(let flag), .bool): self = .bool(flag)
    case (.integer(let number), .int): self = .int(number)
    case (.integer(let number), .double): self = .double(Double(number))
    case (.integer(let number), .date): self = .date(Date(timeIntervalSinceReferenceDate: Double(number)))
    case (.integer(let number), .decimal): self = .decimal(Decimal(number))
    case (.number(let number), .int):
      guard let whole = Int64(exactly: number) else { throw reader.failure("\(number) is no 64-bit whole number") }
      self = .int(whole)
    case (.number(let number), .double): self = .double(number)
    case (.number(let number), .date): self = .date(Date(timeIntervalSinceReferenceDate: number))
    case (.string(let text), .string): self = .string(text)
    case (.string(let text), .decimal):
      guard let number = Decimal(string: text) else { throw reader.failure("\"\(text)\" is no decimal") }
      self = .decimal(number)
    case (.string(let text), .uuid):
      guard let uuid = UUID(uuidString: text) else { throw reader.failure("\"\(text)\" is no UUID") }
      self = .uuid(uuid)
    case (.string(let text), .data):
      self = .data(try FieldValue.bytes(hexadecimal: text, reader))
    default: throw reader.failure("\(value) is no value of type \(type)")
    }
  }

  private static func bytes(hexadecimal text: String, _ reader: JSONReader) throws -> Data {
    var bytes = Data()
    var rest = Substring(text)
    while !rest.isEmpty {
      guard rest.count >= 2, let byte = UInt8(rest.prefix(2), radix: 16) else {
        throw reader.failure("\"\(text)\" is not hexadecimal")
      }
      bytes.append(byte)
      rest = rest.dropFirst(2)
    }
    return bytes
  }
}
