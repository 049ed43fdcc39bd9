import ArgumentParser
import AstroSvitla
import Foundation

struct OutputOptions: ParsableArguments {
  @Flag(help: "Print JSON, for programs.")
  var json = false
  @Option(
    help: ArgumentHelp("en or uk.", discussion: "Default: what LC_ALL, LC_MESSAGES or LANG asks for, else en."),
    transform: language)
  var language: AppLanguage?

  var spoken: AppLanguage { language ?? AppLanguage(environment: ProcessInfo.processInfo.environment) }
  var phrases: Phrases { Phrases(language: spoken) }

  /// For errors, which know no options: the language that the command line asks for, read from it directly.
  static var spokenLanguage: AppLanguage {
    let words = CommandLine.arguments
    let given = words.indices.lazy.compactMap { index -> String? in
      if words[index].hasPrefix("--language=") { return String(words[index].dropFirst(11)) }
      return words[index] == "--language" && index + 1 < words.count ? words[index + 1] : nil
    }.first
    return given.flatMap(AppLanguage.init(rawValue:)) ?? AppLanguage(environment: ProcessInfo.processInfo.environment)
  }

  /// A reader of an option's text that says in the person's language what is wrong with it.
  static func reading<Value>(
    _ read: @escaping @Sendable (String) throws -> Value
  ) -> @Sendable (String) throws -> Value {
    { text in
      do {
        return try read(text)
      } catch let error as AstroSvitlaError {
        throw ValidationError(error.text(in: spokenLanguage))
      }
    }
  }

  @Sendable private static func language(_ text: String) throws -> AppLanguage {
    guard let language = AppLanguage(rawValue: text) else { throw ValidationError("the language is en or uk") }
    return language
  }
}
