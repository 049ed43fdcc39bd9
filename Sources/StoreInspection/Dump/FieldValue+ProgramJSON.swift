import Foundation
package import RecordStore

/// Field values as commands print them with `--json`, and as `tandem load --into` reads them back.
///
/// As in dumps, whose form is fixed, but for two types that programs should not have to know from inside: a date is
/// always a string, ISO 8601 or, where no calendar reaches, seconds since 2001 such as `inf s`; and a `Codable` value
/// is the JSON that it is made of. A composite that is no such JSON, such as the
/// bytes of a transformer, is `{"@base64":"…"}`.
extension FieldValue {
  package var programJSON: JSON {
    switch self {
    case .date(let value): .string(DateText.complete(value) ?? FieldValue.secondsText(value))
    case .composite(let value): JSON(canonicalComposite: value) ?? .object([.init(FieldValue.bytesMember, json)])
    default: json
    }
  }

  /// Nil where the JSON is no value of the type.
  package init?(programJSON json: JSON, type: FieldType) {
    guard type == .composite, json != .null else {
      self.init(json: json, type: type)
      return
    }
    if let bytes = json.markedBytes {
      self.init(json: bytes, type: .composite)
    } else {
      self = .composite(Data(json.compositeText.utf8))
    }
  }

  private static func secondsText(_ date: Date) -> String {
    let number = FieldValue.double(date.timeIntervalSinceReferenceDate).json
    return (number.stringValue ?? number.description) + DateText.secondsMark
  }

  fileprivate static let bytesMember = "@base64"
}

extension JSON {
  /// The bytes of a composite that is no JSON.
  fileprivate var markedBytes: JSON? {
    guard case .object(let members) = self, members.count == 1 else { return nil }
    return self[FieldValue.bytesMember]
  }

  /// Bytes that are exactly what ``compositeText`` makes of some value; nil for others, which would not come back.
  fileprivate init?(canonicalComposite bytes: Data) {
    guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
    do {
      try self.init(parsing: text)
    } catch {
      // Bytes of another making are printed as bytes.
      return nil
    }
    guard compositeText == text, self != .null, markedBytes == nil else { return nil }
  }

  /// The text that a `Codable` value of this JSON is stored as: that of Foundation's encoder with sorted members, so
  /// that equal values are equal bytes.
  fileprivate var compositeText: String {
    switch self {
    case .null, .bool, .number: description
    case .string(let text): JSON.compositeText(text)
    case .array(let elements): "[\(elements.map(\.compositeText).joined(separator: ","))]"
    case .object(let members):
      "{"
        + members.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        .map { "\(JSON.compositeText($0.name)):\($0.value.compositeText)" }.joined(separator: ",") + "}"
    }
  }

  private static func compositeText(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\u{8}": result += "\\b"
      case "\u{C}": result += "\\f"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case "\u{0}"..."\u{1F}": result += "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
