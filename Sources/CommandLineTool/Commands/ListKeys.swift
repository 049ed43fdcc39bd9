import ArgumentParser
import StoreInspection
import Tandem

struct ListKeys: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the keys of a suite with their values.",
    discussion: """
      Opens the suite for reading only. 'tandem suites' lists suites.

      Example: tandem list --suite group.org.example.app --json
      """)

  @Option(help: ArgumentHelp("Only keys that begin with this.", valueName: "text"))
  var prefix = ""
  @OptionGroup var suite: SuiteOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    let store = try suite.openForReading()
    let texts = try store.dictionaryRepresentation(prefix: prefix).sorted { $0.key < $1.key }
      .map { KeyValueText($0.key, $0.value, expiresAt: try store.expiry(forKey: $0.key)) }
    if output.json {
      for text in texts { try Console.standard.print(text.json) }
      return
    }
    for line in KeyValueText.table(texts).lines(for: .current) { try Console.standard.print(line) }
  }
}
