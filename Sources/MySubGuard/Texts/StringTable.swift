import Foundation

/// All texts of one language, from the file `Localizable.<language>.json`, which a translator edits.
///
/// A text's places are `%@`, filled in their order, or `%2$@` where a language has another order.
struct StringTable: Sendable {
  private let texts: [String: String]

  /// The texts by the names of their keys.
  var all: [String: String] { texts }

  init(json: Data) throws { texts = try JSONDecoder().decode([String: String].self, from: json) }

  /// A key without a text shows itself; a test holds the tables complete.
  subscript(key: MessageKey) -> String { texts[key.rawValue] ?? key.rawValue }

  static func of(_ language: Language) -> StringTable {
    switch language {
    case .english: english
    case .french: french
    }
  }

  private static let english = embedded(PackageResources.Localizable_en_json)
  private static let french = embedded(PackageResources.Localizable_fr_json)

  private static func embedded(_ bytes: [UInt8]) -> StringTable {
    do {
      return try StringTable(json: Data(bytes))
    } catch {
      fatalError("A table of texts that is part of this program does not parse: \(error)")
    }
  }

  /// Fills the places of a text. Places without an argument stay empty.
  static func filled(_ text: String, with arguments: [String]) -> String {
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
