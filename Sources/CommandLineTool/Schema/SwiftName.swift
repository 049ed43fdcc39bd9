import Foundation
import RecordStore

/// Names, types and literals as Swift source has them.
enum SwiftName {
  private static let keywords: Set<String> = [
    "as", "associatedtype", "break", "case", "catch", "class", "continue", "default", "defer", "deinit", "do", "else",
    "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func", "guard", "if", "import", "in", "init",
    "inout", "internal", "is", "let", "nil", "operator", "precedencegroup", "private", "protocol", "public", "repeat",
    "rethrows", "return", "self", "static", "struct", "subscript", "super", "switch", "throw", "throws", "true", "try",
    "typealias", "var", "where", "while",
  ]

  static func isIdentifier(_ name: String) -> Bool {
    guard let first = name.first, first == "_" || first.isLetter else { return false }
    return name.allSatisfy { $0 == "_" || $0.isLetter || $0.isNumber }
  }

  static func escaped(_ name: String) -> String { keywords.contains(name) ? "`\(name)`" : name }

  static func type(of type: FieldType) -> String {
    switch type {
    case .bool: "Bool"
    case .int: "Int"
    case .uint: "UInt"
    case .double: "Double"
    case .decimal: "Decimal"
    case .string: "String"
    case .date: "Date"
    case .uuid: "UUID"
    case .data: "Data"
    case .url: "URL"
    case .composite, .reference: "JSONValue"
    }
  }

  /// Nil for values that source does not hold well: those become parameters.
  static func literal(_ value: FieldValue) -> String? {
    switch value {
    case .bool(let value): "\(value)"
    case .int(let value): "\(value)"
    case .uint(let value): "\(value)"
    case .double(let value): value.isFinite ? "\(value)" : nil
    case .decimal(let value): Int(value.description).map { "\($0)" }
    case .string(let value): value.debugDescription
    case .date(let value):
      value.timeIntervalSinceReferenceDate.isFinite
        ? "Date(timeIntervalSinceReferenceDate: \(value.timeIntervalSinceReferenceDate))" : nil
    case .data(let value): value.isEmpty ? "Data()" : nil
    case .null, .uuid, .url, .composite, .reference: nil
    }
  }
}
