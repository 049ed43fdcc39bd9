import ArgumentParser
import StoreInspection
import Tandem

struct Remove: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Remove keys with their values.",
    discussion: """
      All are removed in one save. Exit code 1 if a key that is named is not there;
      the others are removed.

      Example: tandem remove theme
      """)

  @Argument(help: ArgumentHelp("The keys.", valueName: "key"), transform: GivenKey.text)
  var keys: [String] = []
  @Option(help: ArgumentHelp("Remove all keys that begin with this.", valueName: "text"))
  var prefix: String?
  @Flag(help: "Remove all keys of the suite.")
  var all = false
  @Flag(help: "Remove what has expired, by this device's clock, for all devices.")
  var expired = false
  @OptionGroup var suite: SuiteOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    let ways = [!keys.isEmpty, prefix != nil, all, expired].count { $0 }
    if ways != 1 { throw ValidationError("give keys, or one of --prefix, --all and --expired") }
    if prefix == "" { throw ValidationError("--prefix takes at least one character; --all removes all keys") }
  }

  func run() throws {
    let reading = try suite.openForReading()
    if expired { return try show(try suite.openForWriting().removeExpired()) }
    if all || prefix != nil {
      let prefix = prefix ?? ""
      let keys = Set(try reading.dictionaryRepresentation(prefix: prefix).keys)
      if !keys.isEmpty || all { try suite.openForWriting().removeAll(prefix: prefix) }
      return try show(keys)
    }
    let present = try keys.filter { try reading.value(forKey: $0) != nil }
    if !present.isEmpty {
      try suite.openForWriting().transaction { edit in
        for key in present { edit.removeObject(forKey: key) }
      }
    }
    try show(Set(present))
    try suite.require(keys.filter { !present.contains($0) })
  }

  private func show(_ removed: Set<String>) throws {
    guard output.json else { return }
    for key in removed.sorted() { try Console.standard.print(["removed": .string(key)]) }
  }
}
