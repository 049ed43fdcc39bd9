import Foundation

/// The limits of a chart's or profile's name.
public enum PersonName {
  /// The name without spaces at its ends: 1 to 50 characters on one line.
  ///
  /// Throws `invalidValue`.
  public static func checked(_ text: String) throws -> String {
    let name = text.trimmingCharacters(in: .whitespaces)
    let isOneLine = name.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    guard (1...50).contains(name.count), isOneLine, !name.contains(where: \.isNewline) else {
      throw AstroSvitlaError(.invalidValue, .notAName)
    }
    return name
  }
}
