import Foundation
import RecordStore
import StoreInspection

/// Gives a written value the type of its field.
enum StatementReader {
  static func value(of statement: RecordStatement, for field: CatalogueField) throws(CommandFailure) -> FieldValue {
    switch statement.value {
    case .text(let text): return try value(text: text, of: field)
    case .json(let json):
      guard let value = FieldValue(programJSON: json, type: field.type) else { throw wrong(field) }
      return value
    }
  }

  /// Nothing is no value, but for text.
  static func value(text: String, of field: CatalogueField) throws(CommandFailure) -> FieldValue {
    if text.isEmpty, field.type != .string { return .null }
    guard let value = typed(text, field.type) else { throw wrong(field) }
    return value
  }

  /// Nil where the text is no value of the type.
  static func typed(_ text: String, _ type: FieldType) -> FieldValue? {
    switch type {
    case .bool: ["true": .bool(true), "false": .bool(false)][text]
    case .int: Int64(text).map { .int($0) }
    case .uint: UInt64(text).map { .uint($0) }
    case .double: NumberText.double(text).map { .double($0) }
    case .decimal: DecimalText.parse(text).map { .decimal($0) }
    case .string: .string(text)
    case .date: LocalTime(argument: text).map { .date($0.date) }
    case .uuid: UUID(uuidString: text).map { .uuid($0) }
    case .data: Data(base64Encoded: text).map { .data($0) }
    case .url: .url(text)
    case .composite: composite(text)
    case .reference: RecordID(text.lowercased()).map { .reference($0) }
    }
  }

  private static func composite(_ text: String) -> FieldValue? {
    do {
      return FieldValue(programJSON: try JSON(parsing: text), type: .composite)
    } catch {
      // The caller says what the field holds.
      return nil
    }
  }

  private static func wrong(_ field: CatalogueField) -> CommandFailure {
    CommandFailure("'\(field.name)' holds \(field.type.plural); write \(example(field.type))")
  }

  private static func example(_ type: FieldType) -> String {
    switch type {
    case .bool: "true or false"
    case .int, .uint: "one such as 42"
    case .double, .decimal: "one such as 12.50"
    case .string: "text, in JSON between quotes"
    case .date: "one such as 2026-11-21, '2026-11-21 08:30' or 2026-11-21T08:30:00Z"
    case .uuid: "one such as 6f1e9a52-0c8d-4e7b-9b1a-3d5c7e9f1a2b"
    case .data: "base64"
    case .url: "one such as https://example.org"
    case .composite: "JSON"
    case .reference: "the id of a record"
    }
  }
}
