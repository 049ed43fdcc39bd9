import Foundation
import RecordStore
import StoreInspection

/// A value of a text file, whose type only a property tells.
enum TextValue: Hashable, Sendable {
  case missing
  /// The field of a CSV file.
  case field(String)
  case json(JSON)

  /// Nil where the value is none of the type.
  func value(as type: FieldType) -> FieldValue? {
    switch self {
    case .missing: return .null
    // The property has values of several kinds.
    case .json(.number(let digits)) where type == .string: return .string(digits)
    case .json(.bool(let isTrue)) where type == .string: return .string(isTrue ? "true" : "false")
    case .json(let json): return FieldValue(programJSON: json, type: type)
    case .field(let text): return TextValue.value(of: text, as: type)
    }
  }

  private static func value(of text: String, as type: FieldType) -> FieldValue? {
    switch type {
    case .bool:
      let words: [String: Bool] = ["true": true, "1": true, "false": false, "0": false]
      return words[text.lowercased()].map { .bool($0) }
    case .int, .uint: return FieldValue(programJSON: .number(text), type: type)
    case .double:
      return FieldValue(programJSON: .string(text), type: type) ?? FieldValue(programJSON: .number(text), type: type)
    case .composite:
      do {
        return FieldValue(programJSON: try JSON(parsing: text), type: type)
      } catch {
        // Text that is no JSON is no value of a composite; the caller names the line.
        return nil
      }
    case .decimal, .string, .date, .uuid, .data, .url, .reference:
      return FieldValue(programJSON: .string(text), type: type)
    }
  }

  /// The ids of a list of related records: separated by spaces in CSV. Nil where something else stands there.
  var ids: [RecordID]? {
    let texts: [String?] =
      switch self {
      case .missing, .json(.null): []
      case .field(let text): text.split(separator: " ").map(String.init)
      case .json(.array(let elements)): elements.map(\.stringValue)
      case .json(let json): [json.stringValue]
      }
    let ids = texts.map { $0.flatMap { RecordID($0) } }
    return ids.contains(nil) ? nil : ids.compactMap(\.self)
  }

  /// The types that hold the value, the narrowest first; none for a missing one. A text holds all, too, and is named
  /// where nothing else does.
  var types: [FieldType] {
    switch self {
    case .missing, .json(.null): []
    case .json(.bool): [.bool]
    case .json(.number(let digits)): TextValue.types(ofNumber: digits)
    case .json(.array), .json(.object): [.composite]
    case .json(.string(let text)): [TextValue.type(of: text)]
    case .field(let text): TextValue.types(of: text)
    }
  }

  private static func types(of text: String) -> [FieldType] {
    if text == "true" || text == "false" { return [.bool] }
    // A zero in front is that of a code, which is no number.
    let digits = text.drop { $0 == "-" }
    let isCode = digits.hasPrefix("0") && digits.count > 1 && !digits.hasPrefix("0.") || text.hasPrefix("+")
    if !isCode, Double(text) != nil, text.last?.isNumber == true, !text.contains("x") { return types(ofNumber: text) }
    return [type(of: text)]
  }

  /// Without a loss of digits.
  private static func types(ofNumber digits: String) -> [FieldType] {
    var types: [FieldType] = Int64(digits) == nil ? [] : [.int]
    if NumberText.isHeldByDouble(digits) { types.append(.double) }
    if DecimalText.parse(digits) != nil { types.append(.decimal) }
    return types.isEmpty ? [.string] : types
  }

  private static func type(of text: String) -> FieldType {
    DateText.parse(text) != nil ? .date : UUID(uuidString: text) != nil ? .uuid : .string
  }
}
