import ArgumentParser
import StoreInspection
import Tandem

struct Get: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Print the values of keys.",
    discussion: """
      One value a line, in the order of the keys. Exit code 1 if one has none; those
      that have are printed. Opens the suite for reading only.

      Example: tandem get theme
      """)

  @Argument(help: ArgumentHelp("The keys.", valueName: "key"), transform: GivenKey.text)
  var keys: [String]
  @OptionGroup var suite: SuiteOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    let store = try suite.openForReading()
    var missing: [String] = []
    for key in keys {
      guard let value = try store.value(forKey: key) else {
        missing.append(key)
        continue
      }
      let text = KeyValueText(key, value, expiresAt: try store.expiry(forKey: key))
      if output.json {
        try Console.standard.print(text.json)
      } else {
        try Console.standard.print(text.plain)
      }
    }
    try suite.require(missing)
  }
}
