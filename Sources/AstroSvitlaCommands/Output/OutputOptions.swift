import ArgumentParser
import AstroSvitla
import Foundation
import LocalizedTexts

struct OutputOptions: ParsableArguments {
  @Flag(help: "Print JSON, for programs.")
  var json = false
  @Option(
    help: ArgumentHelp("en or uk.", discussion: "Default: what LC_ALL, LC_MESSAGES or LANG asks for, else en."),
    transform: language)
  var language: AppLanguage?

  /// The language, and the region of its dates and money.
  var locale: AppLocale { AppLocale(language: language, environment: ProcessInfo.processInfo.environment) }
  var spoken: AppLanguage { locale.language }
  var phrases: Phrases { Phrases(locale: locale) }

  /// For errors, which know no options: the language that the command line asks for, read from it directly.
  static var spokenLanguage: AppLanguage {
    AppLanguage.asked(by: CommandLine.arguments) ?? AppLanguage(environment: ProcessInfo.processInfo.environment)
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
