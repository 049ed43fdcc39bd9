/// A line of the shell as the arguments of a `tandem` command: the store is put where the command wants it, and answers
/// have the form of `.mode`.
struct ShellCommand {
  /// Those that take the store as their first argument.
  private static let ofStores: Set<String> = [
    "info", "query", "history", "check", "schema", "insert", "edit", "delete", "dump", "load", "export", "import",
    "backup", "backups", "diff",
  ]
  private static let ofKeys: Set<String> = ["get", "put", "increment", "remove", "list", "watch"]
  /// Those that need no store.
  private static let others: Set<String> = ["help", "schema-of"]
  private static let forms: Set<String> = ["--json", "--csv", "--tsv", "--vertical", "--svg", "--swift", "--plain"]
  private static let withoutJSON: Set<String> = ["dump", "help", "schema-of"]

  static let names = ofStores.union(ofKeys).union(others).union(["conflicts"]).sorted()

  let store: String
  /// The options that say how stores are opened.
  let options: [String]
  let mode: ListingMode

  func arguments(_ words: [String]) throws(CommandFailure) -> [String] {
    guard let name = words.first else { return [] }
    let rest = Array(words.dropFirst())
    if ShellCommand.ofStores.contains(name) { return [name, store] + rest + options + form(name, rest) }
    if ShellCommand.ofKeys.contains(name) { return [name] + rest + ["--in", store] + form(name, rest) }
    if ShellCommand.others.contains(name) { return words }
    if name == "conflicts" {
      guard let action = rest.first, !action.hasPrefix("-") else { return words }
      return [name, action, store] + rest.dropFirst() + options + form(name, rest)
    }
    throw CommandFailure(
      "'\(DisplayText.visible(name))' is no command for a store; "
        + NameSuggestion.sentence(for: name, among: ShellCommand.names + ShellSetting.names))
  }

  private func form(_ name: String, _ words: [String]) -> [String] {
    guard !words.contains(where: ShellCommand.forms.contains), !words.contains("--help") else { return [] }
    switch mode {
    case .table: return []
    case .json: return ShellCommand.withoutJSON.contains(name) ? [] : ["--json"]
    case .vertical, .csv, .tsv: return name == "query" ? ["--\(mode.rawValue)"] : []
    }
  }
}

/// The shell's own commands, which begin with a full stop.
enum ShellSetting {
  static let names = [".exit", ".help", ".mode", ".schema"]

  /// Words that people type from habit; `help query` is a command.
  static let habits = ["exit": ".exit", "quit": ".exit", "help": ".help", "?": ".help"]

  static let help = [
    ".help                                 this text, as help and ? do",
    ".mode table|vertical|csv|tsv|json     how answers are written",
    ".schema                               the store's classes and their properties",
    ".exit                                 ends, as Ctrl-D, exit and quit do",
    "",
    "Every other line is a tandem command about this store, without its path:",
    "  query Item --where 'price > 3'      help query tells more",
    "  insert Item title=Bread             Tab completes commands, options, entities and fields",
    "  " + ShellCommand.names.joined(separator: " "),
  ]
}
