import Foundation

/// The languages that the app speaks.
public enum AppLanguage: String, CaseIterable, Codable, Hashable, Sendable {
  case english = "en"
  case ukrainian = "uk"

  /// The language of a locale's name such as `uk_UA.UTF-8`; nil for one that the app does not speak.
  public init?(localeName: String) {
    let code = localeName.prefix { $0.isLetter }.lowercased()
    self.init(rawValue: code)
  }

  /// What `LC_ALL`, `LC_MESSAGES` or `LANG` asks for, the first that is set; English where none does.
  public init(environment: [String: String]) {
    let name = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
    self = name.flatMap(AppLanguage.init(localeName:)) ?? .english
  }
}
