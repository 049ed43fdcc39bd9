package import LocalizedTexts

/// The languages that the app speaks.
public enum AppLanguage: String, CaseIterable, Codable, Hashable, Sendable {
  /// English.
  case english = "en"
  /// Ukrainian.
  case ukrainian = "uk"

  /// The language in which errors that nobody shows otherwise are told, such as by `localizedDescription`. A program
  /// sets it once, around all that it does; a library's user gets English.
  @TaskLocal public static var current = AppLanguage.english

  /// The language of a locale's name such as `uk_UA.UTF-8`; nil for one that the app does not speak.
  public init?(localeName: String) {
    guard let language = Self.named(byLocale: localeName) else { return nil }
    self = language
  }

  /// What `LC_ALL`, `LC_MESSAGES` or `LANG` asks for, the first that is set; English where none does.
  public init(environment: [String: String]) {
    self = Self.named(byLocale: Self.localeName(in: environment)) ?? .fallback
  }
}

extension AppLanguage: SpokenLanguage {
  /// English.
  package static var fallback: AppLanguage { .english }

  /// The texts of `Localizable.<language>.json`.
  package var table: StringTable {
    switch self {
    case .english: Self.englishTable
    case .ukrainian: Self.ukrainianTable
    }
  }

  private static let englishTable = StringTable(embedded: PackageResources.Localizable_en_json)
  private static let ukrainianTable = StringTable(embedded: PackageResources.Localizable_uk_json)

  /// The text of a key, with its places filled in.
  package func text(_ key: MessageKey, _ arguments: String...) -> String {
    StringTable.filled(table[key.rawValue], with: arguments)
  }
}
