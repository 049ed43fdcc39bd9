import Foundation
import Testing

/// What a person sees: `script` gives the command a terminal.
struct TerminalTests {
  private let tandem = Tandem()

  private static let hasScript = FileManager.default.isExecutableFile(atPath: "/usr/bin/script")

  /// Runs in a terminal of some columns; what it wrote, carriage returns left out.
  private func inTerminal(
    _ command: String, columns: Int, rows: Int = 50, environment: [String: String] = [:]
  ) throws -> String {
    var tandem = tandem
    tandem.environment = environment.merging(["TERM": "xterm", "NO_COLOR": ""]) { given, _ in given }
    tandem.environment["LINE"] = "stty cols \(columns) rows \(rows); \"$TANDEM\" \(command)"
    return try tandem.shell("script --quiet --return --command \"$LINE\" /dev/null </dev/null").output
      .replacingOccurrences(of: "\r", with: "")
  }

  @Test(.enabled(if: hasScript, "the command `script` makes the terminal"), arguments: [40, 80])
  func `a table fits a small terminal`(columns: Int) throws {
    try Shop.with { shop throws in
      let text = try inTerminal(
        "query '\(shop.path)' Item --fields title,price,amount --sort title", columns: columns,
        environment: ["NO_COLOR": "1"])
      let lines = text.split(separator: "\n")
      #expect(lines.count == 4, "\(text)")
      #expect(lines.allSatisfy { $0.count <= columns }, "\(text)")
      #expect(!text.contains("\u{1B}"))
    }
  }

  @Test(.enabled(if: hasScript, "the command `script` makes the terminal"))
  func `headings are bold in a terminal, and nowhere else`() throws {
    try Shop.with { shop throws in
      let query = "query '\(shop.path)' List --fields name"
      let heading = try inTerminal(query, columns: 80)
      #expect(heading.contains("\u{1B}[1mname\u{1B}[0m\n"), "\(heading.debugDescription)")
      #expect(try !inTerminal(query, columns: 80, environment: ["TERM": "dumb"]).contains("\u{1B}"))
      #expect(try tandem.run("query", shop.path, "List", "--fields", "name").output == "name\nFood\nHome\n")
    }
  }

  @Test(.enabled(if: hasScript, "the command `script` makes the terminal"))
  func `a terminal that is too narrow for a table gets one value a line, wrapped`() throws {
    try Shop.with { shop throws in
      let text = try inTerminal(
        "query '\(shop.path)' Item --fields title,price,list --where \"title = 'Bread'\"", columns: 22,
        environment: ["NO_COLOR": "1"])
      #expect(
        text == """
          title  Bread
          price  3.5
          list   Food 0000000000
                 002000000000000
                 0000001

          """, "\(text)")
    }
  }

  @Test(.enabled(if: hasScript, "the command `script` makes the terminal"))
  func `the pager shows what is longer than the terminal`() throws {
    try Shop.with { shop throws in
      func pages(_ command: String, rows: Int, pager: String) throws -> String {
        try inTerminal(
          "\(command)", columns: 80, rows: rows, environment: ["PAGER": pager, "NO_COLOR": "1"])
      }
      let query = "query '\(shop.path)' List --fields name --sort name"
      #expect(try pages(query, rows: 3, pager: "sed s/^/page:/") == "page:name\npage:Food\npage:Home\n")
      #expect(try pages(query, rows: 40, pager: "sed s/^/page:/") == "name\nFood\nHome\n")
      #expect(try pages(query + " --no-pager", rows: 3, pager: "sed s/^/page:/") == "name\nFood\nHome\n")
      #expect(try pages(query, rows: 3, pager: "cat") == "name\nFood\nHome\n")
      let missing = try pages(query, rows: 3, pager: "no-such-pager 2>&-")
      #expect(
        missing == """
          tandem: there is no pager 'no-such-pager 2>&-'; set PAGER, or use --no-pager
          name
          Food
          Home

          """, "\(missing)")
    }
  }
}
