import Foundation
import RecordStore
import StoreInspection
import TestSupport
import Testing

@testable import CommandLineTool

/// The shell: lines from a pipe, and from a terminal that `script` makes.
struct ShellTests {
  private let tandem = Tandem()

  private func shell(_ shop: Shop, _ lines: String...) throws -> Tandem.Outcome {
    try tandem.run("shell", shop.path, input: lines.map { $0 + "\n" }.joined())
  }

  @Test func `lines of a pipe are commands about the store`() throws {
    try Shop.with { shop throws in
      let outcome = try shell(
        shop, "query List --fields name --sort name", "", "# a remark", "insert List name='Two words'",
        "query List --count", ".mode csv", "query List --fields name --sort name", ".mode json", "query List --count",
        ".mode", "check", "help query", ".exit", "query Nothing")
      #expect(outcome.status == 0, "\(outcome)")
      #expect(outcome.output.hasPrefix("name\nFood\nHome\ninserted List "), "\(outcome.output)")
      #expect(outcome.output.contains("\n3\nname\r\nFood\r\nHome\r\nTwo words\r\n{\"count\":3}\njson\n{"))
      #expect(outcome.output.contains("\"sound\":true"))
      #expect(outcome.output.contains("USAGE: tandem query"))
      #expect(outcome.trouble.isEmpty, "no prompt: \(outcome.trouble)")
    }
  }

  @Test(arguments: [
    ("query Itm", 2, "the store has no entity 'Itm'; did you mean 'Item'?"),
    ("quary Item", 2, "'quary' is no command for a store; did you mean 'query'?"),
    ("query 'Item", 2, "the line has no closing '; add it"),
    ("query Item\\", 2, "the line ends in a backslash; take it away, or write two"),
    (".mod csv", 2, "there is no '.mod'; did you mean '.mode'?"),
    (".mode tabel", 2, "there is no mode 'tabel'; choose one of table, vertical, json, csv, tsv"),
    (".exit now", 2, ".exit does not take these words; .help shows what it takes"),
    ("sync phone laptop", 2, "'sync' is no command for a store; "),
  ])
  func `the first line of a pipe that fails ends the shell`(line: String, status: Int32, sentence: String) throws {
    try Shop.with { shop throws in
      let outcome = try shell(shop, "query Item --count", line, "query List --count")
      #expect(outcome.status == status && outcome.output == "3\n", "\(outcome)")
      #expect(outcome.trouble.hasPrefix("tandem: \(sentence)"), "\(outcome)")
    }
  }

  @Test func `a difference is a failure with its own code, and a missing store ends the shell at once`() throws {
    try Shop.with { shop throws in
      let other = shop.folder.appendingPathComponent("other.store")
      try shop.create(at: other, isFilled: false)
      #expect(try shell(shop, "diff '\(other.path)'", "query Item").status == 1)
      #expect(try tandem.run("shell", shop.folder.path + "/no.store", input: "").status == 2)
    }
  }

  @Test func `the commands of the shell know keys and values`() throws {
    try withSuite { folder throws in
      let outcome = try tandem.run("shell", folder.path, input: "get theme\nput theme light\nget theme\n")
      #expect(outcome.status == 0 && outcome.output == "dark\nlight\n", "\(outcome)")
    }
  }

  @Test func `a command reads no line that is meant for the shell`() throws {
    try Shop.with { shop throws in
      let outcome = try shell(shop, "conflicts list", "insert List", "query List --count")
      #expect(outcome.status == 2 && outcome.output == "no conflicts\n", "\(outcome)")
    }
  }

  /// A device directory with one suite, in which `theme` is `dark`.
  private func withSuite(_ body: (URL) throws -> Void) throws {
    let folder = try makeTemporaryFolder()
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
    #expect(try tandem.run("put", "theme", "dark", "--device", folder.path).status == 0)
    try body(folder)
  }

  private static let hasScript = FileManager.default.isExecutableFile(atPath: "/usr/bin/script")

  /// Types into a terminal, each time that a text is shown; the outcome has all that it showed.
  private func type(
    _ keys: [(after: String, keys: String)], _ store: URL, state: String,
    command: String = #"exec "$TANDEM" shell "$STORE""#, size: String = "cols 200 rows 50"
  ) throws -> Tandem.Outcome {
    var tandem = tandem
    tandem.environment = [
      "TERM": "xterm", "NO_COLOR": "1", "XDG_STATE_HOME": state, "LC_ALL": "C.UTF-8", "STORE": store.path,
      "STEPS": keys.map { "\($0.after)\t\($0.keys)\n" }.joined(),
      // A shell that stayed would hear Ctrl-C as well, and some die of it.
      "SHELL": "/bin/sh", "LINE": "stty \(size); \(command)",
    ]
    return try tandem.shell(
      #"""
      coproc script --quiet --return --flush --command "$LINE" /dev/null
      while IFS=$'\t' read -r after keys; do
        seen=
        until [[ $seen == *"$after" ]]; do
          IFS= read -r -d '' -n 1 -t 60 sign <&"${COPROC[0]}" || { echo "no '$after' came"; exit 9; }
          printf %s "$sign"
          seen+=$sign
        done
        printf "$keys" >&"${COPROC[1]}"
      done <<<"${STEPS%$'\n'}"
      child=$COPROC_PID
      cat <&"${COPROC[0]}"
      wait "$child"
      """#)
  }

  @Test(.enabled(if: hasScript, "the command `script` makes the terminal"))
  func `a person edits lines, completes names, leaves a line by Ctrl-C and ends by Ctrl-D`() throws {
    try Shop.with { shop throws in
      let state = shop.folder.path + "/state"
      let outcome = try type(
        [
          ("shop> ", "query Wrong\\003"), ("shop> ", "qu\\tLis\\t--fie\\tna\\t--sort name\\n"), ("Home", ""),
          ("shop> ", "query Itm\\n"), ("did you mean 'Item'?", ""), ("shop> ", "query Item --count\\n"),
          ("shop> ", "\\004"),
        ], URL(filePath: shop.path), state: state)
      #expect(outcome.status == 0, "\(outcome)")
      #expect(outcome.output.contains("name\r\nFood\r\nHome\r\n"), "\(outcome.output.debugDescription)")
      #expect(outcome.output.contains("\n3\r\n") && outcome.output.contains("^C"))
      #expect(!outcome.output.contains("entity 'Wrong'"))
      let history = state + "/tandem/history"
      let rights = try FileManager.default.attributesOfItem(atPath: history)[.posixPermissions] as? Int
      #expect(rights == 0o600)
      // The arrow up brings the last line of the former session back.
      let again = try type(
        [("shop> ", "\\033[A\\n"), ("shop> ", ".exit\\n")], URL(filePath: shop.path), state: state)
      #expect(again.status == 0 && again.output.contains("\n3\r\n"), "\(again.output.debugDescription)")
    }
  }

  @Test(.enabled(if: hasScript, "the command `script` makes the terminal"))
  func `Ctrl-C ends the command that runs, and the shell goes on`() throws {
    try withSuite { folder throws in
      let outcome = try type(
        [
          ("KeyValues> ", "watch theme\\n"), ("theme = dark\r", "\\003"), ("KeyValues> ", "get theme\\n"),
          ("dark\r", ""), ("KeyValues> ", ".exit\\n"),
        ], folder, state: folder.path + "/state")
      #expect(outcome.status == 0, "\(outcome)")
      // The prompt stands on a line of its own.
      let after = outcome.output.split(separator: "^C", maxSplits: 1).last ?? ""
      #expect(after.hasPrefix("\r\n"), "\(outcome.output.debugDescription)")
    }
  }

  @Test(.enabled(if: hasScript, "the command `script` makes the terminal"))
  func `Ctrl-Z stops the shell as any program, and fg brings it back with the line`() throws {
    try Shop.with { shop throws in
      let outcome = try type(
        [
          ("$ ", #""$TANDEM" shell "$STORE"\n"#), ("shop> ", "query It\\032"), ("Stopped", ""), ("$ ", "fg\\n"),
          ("shop> query It", "em --count\\n"), ("3\r", ""), ("shop> ", "\\004"), ("$ ", "exit\\n"),
        ], URL(filePath: shop.path), state: shop.folder.path + "/state", command: "exec env PS1='$ ' bash --norc -i",
        size: "cols 40 rows 12")
      #expect(outcome.status == 0, "\(outcome)")
    }
  }

  @Test func `words of habit are understood`() throws {
    try Shop.with { shop throws in
      let outcome = try shell(shop, "help", "?", "exit", "query Item --count")
      #expect(outcome.status == 0, "\(outcome)")
      #expect(outcome.lines.count { $0.hasPrefix(".mode ") } == 2 && !outcome.output.hasSuffix("\n3\n"), "\(outcome)")
      #expect(try shell(shop, "quit", "nonsense").status == 0)
    }
  }

  @Test(arguments: [
    ("", ["query", ".mode"]), ("que", ["query"]), (".m", [".mode"]), (".mode ", ["csv", "vertical"]),
    ("query ", ["Item", "List", "Tag"]), ("query It", ["Item"]), ("query Item --where 'pri", ["price"]),
    ("query Item --sort title,li", ["list"]), ("query Item --where list.na", ["list.name"]),
    ("insert Item ta", ["tags"]), ("edit 00 na", ["name"]), ("query Item --whe", ["--where"]),
    ("conflicts list --ent", ["--entity"]), ("help quer", ["query"]),
  ])
  func `names are completed where they may stand`(line: String, names: [String]) throws {
    try Shop.with { shop throws in
      let completion = ShellCompletion(of: line, in: try shop.open().read { $0.catalogue })
      #expect(Set(completion.candidates).isSuperset(of: names), "\(completion)")
      if names.count == 1 { #expect(completion.candidates == names, "\(completion)") }
    }
  }

  @Test(arguments: [
    ("a  b", ["a", "b"]), ("'a b' \"c 'd'\" e\\ f", ["a b", "c 'd'", "e f"]), ("x=''", ["x="]), (" ", []),
    ("a='b'c", ["a=bc"]), ("'a\\b'", ["a\\b"]),
  ])
  func `a line is cut into words as shells do`(line: String, words: [String]) throws {
    #expect(try ShellWords.words(of: line) == words)
  }
}
