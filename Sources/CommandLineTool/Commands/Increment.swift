import ArgumentParser
import StoreInspection
import Tandem

struct Increment: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Add to the whole number of a key, and print the sum.",
    discussion: """
      A key that is not there counts from zero. No step of any process of this device
      is lost. Between devices that count apart, steps are: the later sum wins, and
      where both sums are equal, not even the conflict log tells of it. Where every
      device counts, give each a key of its own.

      Example: tandem increment starts.phone --by 2
      """)

  @Argument(help: "The key.")
  var key: String
  @Option(parsing: .unconditional, help: ArgumentHelp("The number to add; may be negative.", valueName: "n"))
  var by = 1
  @OptionGroup var suite: SuiteOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    if key.isEmpty { throw ValidationError("a key has at least one character") }
  }

  func run() throws {
    let sum = try suite.openForWriting().increment(key, by: by)
    if output.json {
      try Console.standard.print(KeyValueText(key, .integer(sum)).json)
    } else {
      try Console.standard.print("\(sum)")
    }
  }
}
