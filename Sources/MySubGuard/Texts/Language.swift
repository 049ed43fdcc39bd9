/// The languages that the programs speak.
public enum Language: String, CaseIterable, Codable, Hashable, Sendable {
  /// English.
  case english = "en"
  /// French.
  case french = "fr"

  /// The language of a locale's name such as `fr_CH.UTF-8`; nil for one that has no table of texts.
  public init?(localeName: String) {
    self.init(rawValue: localeName.prefix { $0.isLetter }.lowercased())
  }

  /// Whether a count takes the singular: in French, zero does.
  func isSingular(_ count: Int) -> Bool {
    switch self {
    case .english: count == 1
    case .french: count == 0 || count == 1
    }
  }
}
