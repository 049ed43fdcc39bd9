package import Foundation

/// All texts of one language, from a file such as `Localizable.uk.json`, which a translator edits.
///
/// A member of the file is a text, or an object of texts by the plural forms of the language. A text's places are `%@`,
/// filled in their order, or `%2$@` where a language has another order.
package struct StringTable: Sendable {
  /// The text or the texts of a key.
  package enum Entry: Hashable, Sendable {
    case text(String)
    case forms([PluralForm: String])

    /// The texts of the entry.
    package var texts: [String] {
      switch self {
      case .text(let text): [text]
      case .forms(let forms): Array(forms.values)
      }
    }
  }

  /// The entries by the names of their keys.
  package let entries: [String: Entry]

  /// Throws what decoding JSON throws.
  package init(json: Data) throws { entries = try JSONDecoder().decode([String: Entry].self, from: json) }

  /// A table that is part of the program. One that does not parse is the programmer's error, and ends the process.
  package init(embedded bytes: [UInt8]) {
    do {
      try self.init(json: Data(bytes))
    } catch {
      fatalError("A table of texts that is part of this program does not parse: \(error)")
    }
  }

  /// The text of a key, of one with plural forms any of them. A key without a text shows itself; tests hold the tables
  /// complete.
  package subscript(key: String) -> String { entries[key]?.texts.first ?? key }

  /// The text of a key for a number of things.
  package subscript(key: String, form: PluralForm) -> String {
    guard case .forms(let forms) = entries[key] else { return self[key] }
    return forms[form] ?? self[key]
  }

  /// Fills the places of a text. Places without an argument stay empty.
  package static func filled(_ text: String, with arguments: [String]) -> String {
    // Names of rhythms and categories, of which a list has thousands.
    guard text.utf8.contains(UInt8(ascii: "%")) else { return text }
    let parts = text.split(separator: "%", omittingEmptySubsequences: false)
    var (result, next) = (String(parts.first ?? ""), 0)
    for part in parts.dropFirst() {
      var index = next
      var rest = part
      let digits = part.prefix { $0.isNumber }
      if let number = Int(digits), part.dropFirst(digits.count).hasPrefix("$@") {
        index = number - 1
        rest = part.dropFirst(digits.count + 2)
      } else if part.hasPrefix("@") {
        next += 1
        rest = part.dropFirst()
      } else {
        result += "%" + part
        continue
      }
      if arguments.indices.contains(index) { result += arguments[index] }
      result += rest
    }
    return result
  }
}

extension StringTable.Entry: Decodable {
  /// Reads a text, or an object of texts by plural forms.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    do {
      self = .text(try container.decode(String.self))
    } catch DecodingError.typeMismatch {
      self = .forms(try container.decode([PluralForm: String].self))
    }
  }
}
