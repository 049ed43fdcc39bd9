import Foundation
import RecordStore

// One byte names the type (0: null, else ``FieldType``), then the value. Used where a value stands outside of a
// transaction: in the conflict log.
extension FileWriter {
  mutating func put(_ value: FieldValue) {
    put(value.type?.rawValue ?? 0)
    switch value {
    case .null: break
    case .bool(let value): put(UInt8(value ? 1 : 0))
    case .int(let value): put(value)
    case .uint(let value): put(value)
    case .double(let value): put(value.bitPattern)
    // Text is exact, and independent of how Foundation lays a decimal out.
    case .decimal(let value): put(value.description)
    case .string(let value), .url(let value): put(value)
    case .date(let value): put(value.timeIntervalSinceReferenceDate.bitPattern)
    case .uuid(let value): withUnsafeBytes(of: value.uuid) { put(raw: $0) }
    case .data(let value), .composite(let value): put(counted: value)
    case .reference(let value): put(value)
    }
  }
}

extension FileReader {
  mutating func fieldValue() throws -> FieldValue {
    let code = try integer(UInt8.self)
    guard code != 0 else { return .null }
    guard let type = FieldType(rawValue: code) else { throw damage }
    switch type {
    case .bool: return .bool(try integer(UInt8.self) != 0)
    case .int: return .int(try integer())
    case .uint: return .uint(try integer())
    case .double: return .double(Double(bitPattern: try integer()))
    case .decimal:
      let text = try text(limit: 200)
      // Not-a-number has a description that no number has, and that is not read as one.
      if text == Decimal.nan.description { return .decimal(.nan) }
      guard let value = Decimal(string: text) else { throw damage }
      return .decimal(value)
    case .string: return .string(try text(limit: remaining))
    case .url: return .url(try text(limit: remaining))
    case .date: return .date(Date(timeIntervalSinceReferenceDate: Double(bitPattern: try integer())))
    case .uuid:
      let bytes = Array(try take(16))
      return .uuid(bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) })
    case .data: return .data(Data(try counted(limit: remaining)))
    case .composite: return .composite(Data(try counted(limit: remaining)))
    case .reference: return .reference(try recordID())
    }
  }
}
