import ArgumentParser
import StoreInspection

/// The argument parser's description of all commands, as JSON.
enum CommandDescription {
  static func root() throws -> JSON {
    guard let root = try JSON(parsing: TandemCommand._dumpHelp())["command"] else {
      throw CommandFailure("the description of the commands is empty; reinstall tandem")
    }
    return root
  }

  /// The long options of the command that a line begins with; none where it is no command.
  static func options(of words: [String]) -> [String] {
    do {
      var command = try root()
      for word in words {
        let below = command["subcommands"]?.arrayValue ?? []
        guard let next = below.first(where: { $0["commandName"] == .string(word) }) else { break }
        command = next
      }
      return (command["arguments"]?.arrayValue ?? []).filter(isShown).flatMap(names).filter { $0.hasPrefix("--") }
    } catch {
      // A line that is typed has no other answer than no completion.
      return []
    }
  }

  static func isShown(_ item: JSON) -> Bool { item["shouldDisplay"] != .bool(false) }

  /// The names of an option as they are typed, the longest last.
  static func names(of argument: JSON) -> [String] {
    (argument["names"]?.arrayValue ?? []).compactMap { name in
      name["name"]?.stringValue.map { (name["kind"] == .string("long") ? "--" : "-") + $0 }
    }
  }
}
