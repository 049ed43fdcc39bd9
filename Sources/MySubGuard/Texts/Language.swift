package import LocalizedTexts

/// The languages that the programs speak.
public enum Language: String, CaseIterable, Codable, Hashable, Sendable {
  /// English.
  case english = "en"
  /// French.
  case french = "fr"

  /// The language of a locale's name such as `fr_CH.UTF-8`; nil for one that has no table of texts.
  public init?(localeName: String) {
    guard let language = Self.named(byLocale: localeName) else { return nil }
    self = language
  }
}

extension Language: SpokenLanguage {
  /// English.
  package static var fallback: Language { .english }

  /// The texts of `Localizable.<language>.json`.
  package var table: StringTable {
    switch self {
    case .english: Self.englishTable
    case .french: Self.frenchTable
    }
  }

  private static let englishTable = StringTable(embedded: PackageResources.Localizable_en_json)
  private static let frenchTable = StringTable(embedded: PackageResources.Localizable_fr_json)
}
