import ArgumentParser

/// The author of an edit; the same for all commands that change records.
struct AuthorOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The author of the change, kept in history.", valueName: "name"))
  var author: String?
}
