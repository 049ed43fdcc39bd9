import Testing

/// Commands that are mistyped.
struct CommandPathTests {
  private let tandem = Tandem()

  @Test(arguments: [
    (["inof"], "there is no command 'tandem inof'; did you mean 'info'?; 'tandem --help' lists all"),
    (["restor", "a", "b"], "there is no command 'tandem restor'; did you mean 'restore'?; 'tandem --help' lists all"),
    (
      ["key", "rotat", "phone"],
      "there is no command 'tandem key rotat'; did you mean 'rotate'?; 'tandem key --help' lists all"
    ),
  ])
  func `a command that there is not is told with the nearest one`(words: [String], sentence: String) throws {
    let outcome = try tandem.run(arguments: words)
    #expect(outcome.status == 2 && outcome.output.isEmpty && outcome.trouble == "tandem: \(sentence)\n", "\(outcome)")
  }

  @Test func `a word like no command is told with what there is, and is shown without effects`() throws {
    let outcome = try tandem.run("suites", "\u{1B}[31mnothing")
    #expect(outcome.status == 2 && outcome.trouble.contains("there is 'export', 'import', 'list'"), "\(outcome)")
    #expect(!outcome.trouble.contains("\u{1B}"))
  }

  @Test(arguments: [["help", "info"], ["--help"], ["key", "--help"], ["--version"], []])
  func `what asks for help gets it`(words: [String]) throws {
    let outcome = try tandem.run(arguments: words)
    #expect(outcome.status == 0 && !outcome.output.isEmpty, "\(outcome)")
  }
}
