/// A language of a program: its raw value is the code of ISO 639, such as `uk`.
package protocol SpokenLanguage: RawRepresentable, CaseIterable, Hashable, Sendable where RawValue == String {
  /// The language where the environment asks for none that the program speaks.
  static var fallback: Self { get }

  /// All texts of the language.
  var table: StringTable { get }
}

extension SpokenLanguage {
  /// The language of a locale's name such as `fr_CH.UTF-8`; nil for one that the program does not speak.
  package static func named(byLocale name: String) -> Self? {
    Self(rawValue: name.prefix { $0.isLetter }.lowercased())
  }

  /// The value of the first of `LC_ALL`, `LC_MESSAGES` and `LANG` that is set; empty where none is.
  package static func localeName(in environment: [String: String]) -> String {
    EnvironmentLocale.variables.lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
  }

  /// The language that `--language` names on a command line, which the parser has not read: it refuses in the language,
  /// too. Nil where it says nothing that the program speaks.
  package static func asked(by arguments: [String]) -> Self? {
    let named = Array(zip(arguments, arguments.dropFirst())).last { $0.0 == "--language" }?.1
    let joined = arguments.last { $0.hasPrefix("--language=") }.map { String($0.dropFirst("--language=".count)) }
    return (named ?? joined).flatMap(Self.init(rawValue:))
  }
}
