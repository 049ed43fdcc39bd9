import ArgumentParser
import StoreInspection
import Tandem

struct Get: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Print the value of a key.",
    discussion: """
      Exit code 1 if there is none. Opens the suite for reading only.

      Example: tandem get group.example theme
      """)

  @OptionGroup var suite: SuiteOptions
  @Argument(help: "The key.")
  var key: String
  @OptionGroup var output: OutputOptions

  func run() throws {
    guard let value = try suite.openForReading().value(forKey: key) else { throw suite.missing(key) }
    if output.json {
      try Console.standard.print(["key": .string(key), "type": .string(value.kindName), "value": value.json])
    } else {
      // A terminal must not be steered by what is stored; a pipe gets the text as it is.
      let text = value.displayText
      try Console.standard.print(Terminal.current.columns == nil ? text : DisplayText.visible(text))
    }
  }
}
