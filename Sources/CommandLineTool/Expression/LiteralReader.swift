import Foundation
import RecordStore
import StoreInspection

/// Gives a written value the type of the field that it is compared with.
struct LiteralReader {
  let field: CatalogueField

  func value(_ literal: Expression.Literal) throws(ExpressionError) -> FieldValue {
    if literal.value == .null { return .null }
    if field.type == .reference { return .reference(try LiteralReader.recordID(literal)) }
    guard let value = typed(literal.value) else {
      throw ExpressionError("'\(field.name)' holds \(field.type.plural); \(hint)", at: literal.column)
    }
    return value
  }

  static func recordID(_ literal: Expression.Literal) throws(ExpressionError) -> RecordID {
    guard case .string(let text) = literal.value, let id = RecordID(text.lowercased()) else {
      throw ExpressionError("a record is named by its id, 32 hexadecimal digits in quotes", at: literal.column)
    }
    return id
  }

  private func typed(_ value: Expression.Literal.Value) -> FieldValue? {
    switch (field.type, value) {
    case (.bool, .bool(let value)): .bool(value)
    case (.int, .number(let digits)): Int64(digits).map { .int($0) }
    case (.uint, .number(let digits)): UInt64(digits).map { .uint($0) }
    case (.double, .number(let digits)): NumberText.double(digits).map { .double($0) }
    case (.decimal, .number(let digits)): DecimalText.parse(digits).map { .decimal($0) }
    case (.string, .string(let text)): .string(text)
    case (.url, .string(let text)): .url(text)
    case (.date, .date(let text)), (.date, .string(let text)): LocalTime(argument: text).map { .date($0.date) }
    case (.uuid, .string(let text)): UUID(uuidString: text).map { .uuid($0) }
    case (.data, .string(let text)): Data(base64Encoded: text).map { .data($0) }
    default: nil
    }
  }

  private var hint: String {
    switch field.type {
    case .bool: "compare with true, false or null"
    case .int: "write one, such as 42"
    case .uint: "write one, such as 42"
    case .double, .decimal: "write one, such as 12.50"
    case .string, .url: "put it into quotes"
    case .date: "write one, such as 2026-11-21 or 2026-11-21T08:30:00Z"
    case .uuid: "write one in quotes, such as '6f1e…'"
    case .data: "write base64 in quotes"
    case .composite: "it compares only with null"
    case .reference: "name a record by its id in quotes"
    }
  }
}
