import ArgumentParser

struct Suites: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "List the suites of keys and values, or take one to a file and back.",
    discussion: """
      Without a subcommand, 'tandem suites' lists.

      Example: tandem suites --device phone
      """,
    subcommands: [List.self, Export.self, Import.self],
    defaultSubcommand: List.self)
}
