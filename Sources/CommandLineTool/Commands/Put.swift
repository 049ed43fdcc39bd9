import ArgumentParser
import StoreInspection
import Tandem

struct Put: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Set the value of a key, durably.",
    discussion: """
      The suite is created when it is missing. Between devices the later write of a key
      wins.

      Example: tandem put group.example theme dark
      """)

  @OptionGroup var suite: SuiteOptions
  @Argument(help: "The key.")
  var key: String
  @Argument(help: "The value; one that begins with a minus stands after --.")
  var value: String
  @Option(help: "What the value is: string, bool, integer, double, date, data (base64), url or json.")
  var type = KeyValueType.string
  @OptionGroup var output: OutputOptions

  func validate() throws {
    if key.isEmpty { throw ValidationError("a key has at least one character") }
    guard type.value(of: value) != nil else {
      throw ValidationError("'\(DisplayText.visible(value))' is no \(type.rawValue); give \(type.example)")
    }
  }

  func run() throws {
    guard let value = type.value(of: value) else { return }
    try suite.openForWriting().set(value, forKey: key)
    if output.json {
      try Console.standard.print(["key": .string(key), "type": .string(value.kindName), "value": value.json])
    }
  }
}
