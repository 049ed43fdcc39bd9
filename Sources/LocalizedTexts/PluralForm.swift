/// The form in which a language counts things, by the names of Unicode's plural rules.
package enum PluralForm: String, CaseIterable, Codable, CodingKeyRepresentable, Sendable {
  case one, few, many, other

  /// The forms that a language has for whole numbers.
  package static func all(of languageCode: String) -> Set<PluralForm> {
    languageCode == "uk" ? [.one, .few, .many] : [.one, .other]
  }

  /// The form of a whole number in a language.
  package init(of count: Int, in languageCode: String) {
    switch languageCode {
    case "uk": self = Self.slavic(count.magnitude)
    case "fr": self = count.magnitude <= 1 ? .one : .other
    default: self = count == 1 ? .one : .other
    }
  }

  /// 1 кредит, 2 кредити, 5 кредитів; 11 to 14 count as 5 does, and 21 as 1 does.
  private static func slavic(_ count: UInt) -> PluralForm {
    if (11...14).contains(count % 100) { return .many }
    return switch count % 10 {
    case 1: .one
    case 2...4: .few
    default: .many
    }
  }
}
