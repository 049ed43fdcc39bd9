import Foundation
import StoreInspection
import TestSupport
import Testing

/// Manual pages, and completions of names that a store has.
struct ManualTests {
  private let tandem = Tandem()

  @Test func `every command has a page of the manual`() throws {
    let folder = try makeTemporaryFolder()
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
    let outcome = try tandem.run("man", folder.path)
    #expect(outcome.status == 0, "\(outcome)")
    let pages = Set(try FileManager.default.contentsOfDirectory(atPath: folder.path))
    let root = try #require(try JSON(parsing: tandem.run("--experimental-dump-help").output)["command"])
    let names = ManualTests.names(of: root, path: "")
    #expect(names.contains("tandem-conflicts-show") && names.contains("tandem-insert"), "\(names)")
    #expect(pages == Set(names.map { "\($0).1" }))
    for page in pages {
      let text = try String(contentsOf: folder.appendingPathComponent(page), encoding: .utf8)
      #expect(text.hasPrefix(".TH \"") && text.contains("\n.SH NAME\n") && text.contains("\n.SH SYNOPSIS\n"), "\(page)")
      #expect(text.contains("Example: ") || page == "tandem.1", "\(page)")
    }
  }

  private static func names(of command: JSON, path: String) -> [String] {
    let name = path + (command["commandName"]?.stringValue ?? "")
    let below = (command["subcommands"]?.arrayValue ?? []).filter {
      $0["shouldDisplay"] != .bool(false) && $0["commandName"] != .string("help")
    }
    return [name] + below.flatMap { names(of: $0, path: name + "-") }
  }

  @Test func `groff and mandoc take the pages without a complaint`() throws {
    let folder = try makeTemporaryFolder()
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
    _ = try tandem.run("man", folder.path)
    var tandem = tandem
    tandem.environment["FOLDER"] = folder.path
    // A machine that has neither of the two checks the shape alone.
    let outcome = try tandem.shell(
      """
      cd "$FOLDER"
      if command -v groff >/dev/null; then for page in *.1; do groff -man -Tutf8 -ww -z $page; done; fi
      if command -v mandoc >/dev/null; then mandoc -T lint -W warning *.1; fi
      LC_ALL=C grep -n '[^ -~]' *.1
      true
      """)
    #expect(outcome.status == 0 && outcome.output.isEmpty && outcome.trouble.isEmpty, "\(outcome)")
  }

  @Test func `pages bear the date that a package gives them`() throws {
    let folder = try makeTemporaryFolder()
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
    var tandem = tandem
    tandem.environment["SOURCE_DATE_EPOCH"] = "1767225600"
    #expect(try tandem.run("man", folder.path).status == 0)
    let text = try String(contentsOf: folder.appendingPathComponent("tandem-query.1"), encoding: .utf8)
    #expect(text.hasPrefix(".TH \"TANDEM-QUERY\" 1 \"2026-01-01\" \"tandem "), "\(text.prefix(200))")
    #expect(try tandem.run("man", folder.path + "/missing").status == 2)
  }

  @Test func `bash completes entities and fields of the store`() throws {
    try Shop.with { shop throws in
      func completions(_ line: String) throws -> Set<String> {
        var tandem = tandem
        tandem.environment["LINE"] = line
        let outcome = try tandem.shell(
          #"""
          source <("$TANDEM" --generate-completion-script bash)
          PATH="$(dirname "$TANDEM"):$PATH"
          COMP_LINE="$LINE" COMP_POINT=${#LINE} COMP_TYPE=9
          COMP_WORDS=($LINE)
          if [[ "$LINE" == *' ' ]]; then COMP_WORDS+=(''); fi
          COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
          _tandem tandem "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
          printf '%s\n' "${COMPREPLY[@]}"
          """#)
        return Set(outcome.lines.map { $0.trimmingCharacters(in: .whitespaces) })
      }
      #expect(try completions("tandem query \(shop.path) ").isSuperset(of: ["Item", "List", "Tag"]))
      #expect(try completions("tandem query \(shop.path) Item --sort pr") == ["price"])
      #expect(try completions("tandem insert \(shop.path) Item ti").contains("title="))
    }
  }
}
