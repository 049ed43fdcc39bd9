import Foundation
import Testing

/// What every command has in common: help, usage errors, exit codes.
struct UsageTests {
  private let tandem = Tandem()

  @Test func `help goes to standard output and tells the exit codes`() throws {
    for arguments in [[], ["help"], ["--help"]] {
      let outcome = try tandem.shell("\"$TANDEM\" " + arguments.joined(separator: " "))
      #expect(outcome.status == 0)
      #expect(outcome.output.contains("Exit codes:"))
      #expect(outcome.trouble.isEmpty)
    }
  }

  @Test(arguments: [
    "sync", "status", "retire", "info", "schema", "shell", "man", "diff", "insert", "edit", "delete", "dump", "load",
    "query",
    "history", "conflicts",
    "conflicts list",
    "conflicts show", "conflicts restore", "check", "scenario", "scenario run", "get", "put", "remove", "list",
    "increment", "watch", "suites", "suites list", "suites export", "suites import", "export",
    "import", "backups", "restore", "schema-of",
    "key", "key new", "key show", "key add-device", "key join", "key rotate", "key forget",
    "share", "join", "leave",
  ])
  func `every command has help with an example that fits a terminal of 80 columns`(command: String) throws {
    let outcome = try tandem.run(arguments: ["help"] + command.split(separator: " ").map(String.init))
    #expect(outcome.status == 0)
    #expect(outcome.output.contains("Example: tandem \(command)"), "\(outcome.output)")
    // The usage line is the library's and is not wrapped.
    let tooLong = outcome.lines.filter { $0.count > 80 && !$0.hasPrefix("USAGE:") }
    #expect(tooLong.isEmpty, "\(tooLong)")
    // A line of 80 columns is broken before its last word, which then stands alone.
    let lines = outcome.output.prefix(upTo: try #require(outcome.output.range(of: "USAGE:")).lowerBound)
      .split(separator: "\n", omittingEmptySubsequences: false)
    func isProse(_ line: Substring) -> Bool { !line.isEmpty && !line.hasPrefix(" ") && !line.hasPrefix("Example:") }
    let alone = zip(lines, zip(lines.dropFirst(), lines.dropFirst(2))).filter { before, rest in
      [before, rest.0, rest.1].allSatisfy(isProse) && rest.0.count < 40
    }
    #expect(alone.isEmpty, "\(alone.map(\.1.0))")
  }

  @Test(arguments: ["1", "20", "26", "0", "-5", "x", "9999999999999999999999"])
  func `help tells all in a terminal of any width`(columns: String) throws {
    var tandem = tandem
    tandem.environment["COLUMNS"] = columns
    let outcome = try tandem.run("info", "--help")
    #expect(outcome.status == 0, "\(outcome)")
    let words = outcome.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(words.contains("The store's directory, or a device directory with one store."), "\(outcome)")
  }

  @Test(arguments: ["info", "query x", "info x --nonsense", "query x y --limit -1", "sync onlyone"])
  func `wrong usage says so on standard error and exits with 2`(arguments: String) throws {
    let outcome = try tandem.shell("\"$TANDEM\" \(arguments)")
    #expect(outcome.status == 2)
    #expect(outcome.output.isEmpty)
    #expect(outcome.trouble.hasPrefix("Error: "), "\(outcome.trouble)")
  }

  @Test(arguments: ["bash", "zsh", "fish"])
  func `completions are printed for every shell`(shell: String) throws {
    let outcome = try tandem.run("--generate-completion-script", shell)
    #expect(outcome.status == 0)
    #expect(outcome.output.contains("conflicts"))
    #expect(outcome.trouble.isEmpty)
  }

  @Test func `the bash completions are a script that bash accepts`() throws {
    let outcome = try tandem.shell("\"$TANDEM\" --generate-completion-script bash | bash -n")
    #expect(outcome.status == 0, "\(outcome.trouble)")
  }

  @Test func `a reader that goes away ends the command silently`() throws {
    // 200 pages of help are more than a pipe holds, so the program must meet the closed end.
    let script = "set -o pipefail; { for i in $(seq 200); do \"$TANDEM\" help || exit; done; } | head -n 1"
    let outcome = try tandem.shell(script)
    #expect(outcome.status == 141)
    #expect(outcome.trouble.isEmpty, "\(outcome.trouble)")
    #expect(outcome.lines.count == 1)
  }
}
