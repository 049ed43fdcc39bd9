import Foundation
import RecordStore

/// Names, types and literals as Swift source has them.
enum SwiftName {
  /// Those with a meaning of their own, if only in some places: in backticks, they are names everywhere.
  private static let keywords: Set<String> = [
    "Any", "Self", "Type", "any", "as", "associatedtype", "async", "await", "borrowing", "break", "case", "catch",
    "class", "consume", "consuming", "continue", "copy", "default", "defer", "deinit", "discard", "do", "each", "else",
    "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func", "guard", "if", "import", "in", "init",
    "inout", "internal", "is", "let", "nil", "operator", "package", "precedencegroup", "private", "protocol", "public",
    "repeat", "rethrows", "return", "self", "some", "static", "struct", "subscript", "super", "switch", "throw",
    "throws", "true", "try", "typealias", "unsafe", "var", "where", "while", "yield",
  ]

  /// Names that a property cannot have, even in backticks: after a dot they mean something else, or `@Model` uses them.
  private static let reserved: Set<String> = [
    "self", "Self", "Type", "Protocol", "_",
    "persistentBackingData", "persistentModelID", "modelContext", "schemaMetadata", "hashValue",
  ]

  /// Types of values: the macros take a property of these names for no relationship.
  static let values: Set<String> = [
    "Bool", "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64", "Float", "Double",
    "CGFloat", "Decimal", "String", "Date", "UUID", "Data", "URL",
  ]

  private static func isIdentifier(_ name: String) -> Bool {
    guard let first = name.first, first == "_" || first.isLetter else { return false }
    return name.unicodeScalars.allSatisfy { $0 == "_" || $0.properties.isXIDContinue }
  }

  /// Whether a class may have the name. Backticks take most letters.
  static func isClassName(_ name: String) -> Bool {
    guard !isIdentifier(name) else { return name != "_" }
    return !name.isEmpty && !name.hasPrefix("$") && name.contains { $0.isLetter || $0.isNumber }
      && name.unicodeScalars.allSatisfy { scalar in
        (scalar == " " || !scalar.properties.isWhitespace) && scalar.properties.generalCategory != .control
          && !"`\"\\".unicodeScalars.contains(scalar)
      }
  }

  static func isPropertyName(_ name: String) -> Bool {
    isClassName(name) && !reserved.contains(name) && !name.hasPrefix("_$")
  }

  /// As source has it: in backticks where it needs them.
  static func escaped(_ name: String) -> String {
    isIdentifier(name) && !keywords.contains(name) ? name : "`\(name)`"
  }

  /// A name for a property near one that no property may have.
  static func near(_ name: String) -> String {
    let words = name.split { !($0.isLetter || $0.isNumber) }
    let others = words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }
    let joined = (words.prefix(1).map(String.init) + others).joined()
    return isIdentifier(joined) ? joined + "Value" : "value" + joined
  }

  /// Nil for values that source does not hold well: those become parameters.
  ///
  /// - Parameter named: How source names a type, by its plain name.
  static func literal(_ value: FieldValue, named: (String) -> String) -> String? {
    switch value {
    case .bool(let value): "\(value)"
    case .int(let value): "\(value)"
    case .uint(let value): "\(value)"
    case .double(let value): value.isFinite ? "\(value)" : nil
    case .decimal(let value): Int(value.description).map { "\($0)" }
    case .string(let value): value.debugDescription
    case .date(let value):
      value.timeIntervalSinceReferenceDate.isFinite
        ? "\(named("Date"))(timeIntervalSinceReferenceDate: \(value.timeIntervalSinceReferenceDate))" : nil
    case .data(let value): value.isEmpty ? "\(named("Data"))()" : nil
    case .null, .uuid, .url, .composite, .reference: nil
    }
  }
}
