import ArgumentParser

/// The commands that the first words of a command line name.
enum CommandPath {
  /// Refuses a name that no command has, with the nearest one: the parser would call it an unexpected argument.
  static func check(_ words: [String], of root: any ParsableCommand.Type) throws(CommandFailure) {
    var command = root
    var path = name(of: root)
    for word in words {
      let known = command.configuration.subcommands
      // An option ends the path: behind one that takes a value stands no command.
      guard !known.isEmpty, !word.hasPrefix("-"), word != "help" else { return }
      let names = known.map { name(of: $0) }
      guard let index = names.firstIndex(of: word) else {
        throw CommandFailure(
          "there is no command '\(path) \(DisplayText.visible(word))'; "
            + "\(NameSuggestion.sentence(for: word, among: names)); '\(path) --help' lists all")
      }
      command = known[index]
      path += " \(word)"
    }
  }

  private static func name(of command: any ParsableCommand.Type) -> String { command._commandName }
}
