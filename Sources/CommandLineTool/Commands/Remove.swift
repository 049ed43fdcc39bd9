import ArgumentParser
import StoreInspection
import Tandem

struct Remove: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Remove a key with its value.",
    discussion: """
      Exit code 1 if there is none; then nothing is written.

      Example: tandem remove group.example theme
      """)

  @OptionGroup var suite: SuiteOptions
  @Argument(help: "The key.")
  var key: String
  @OptionGroup var output: OutputOptions

  func run() throws {
    guard try suite.openForReading().value(forKey: key) != nil else { throw suite.missing(key) }
    try suite.openForWriting().removeObject(forKey: key)
    if output.json { try Console.standard.print(["removed": .string(key)]) }
  }
}
