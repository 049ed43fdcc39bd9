import ArgumentParser
import StoreInspection
import Tandem

struct ListKeys: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the keys of a suite with their values.",
    discussion: """
      Opens the suite for reading only.

      Example: tandem list group.example --json
      """)

  @OptionGroup var suite: SuiteOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    let values = try suite.openForReading().dictionaryRepresentation().sorted { $0.key < $1.key }
    if output.json {
      for (key, value) in values {
        try Console.standard.print(["key": .string(key), "type": .string(value.kindName), "value": value.json])
      }
      return
    }
    var table = TextTable([.init("key"), .init("type"), .init("value")])
    table.rows = values.map { key, value in
      [DisplayText.visible(key), value.kindName, DisplayText.visible(value.displayText)]
    }
    for line in table.lines(for: .current) { try Console.standard.print(line) }
  }
}
