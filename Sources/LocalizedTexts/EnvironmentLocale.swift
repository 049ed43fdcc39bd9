import Foundation

/// The locale that the environment names.
package enum EnvironmentLocale {
  /// The variables that name the language of sentences; the first one that is set counts.
  static let variables = ["LC_ALL", "LC_MESSAGES", "LANG"]

  /// Puts `C` in the place of a name that Foundation cannot read, such as `LANG=Europe/Paris`: the process would end at
  /// the first amount that is formatted, in whatever locale.
  ///
  /// Called once, as a program begins and before it reads its language. What the program starts gets `C`, too.
  package static func replaceUnreadable() {
    for variable in variables {
      guard let name = ProcessInfo.processInfo.environment[variable], !isReadable(name) else { continue }
      setenv(variable, "C", 1)
    }
  }

  /// Whether the name has room in the library below Foundation: 11 bytes for the language, 156 for all of it.
  static func isReadable(_ name: String) -> Bool {
    let language = name.utf8.prefix { byte in !"_-.@".utf8.contains(byte) }
    return language.count <= 11 && name.utf8.count <= 128
  }
}
