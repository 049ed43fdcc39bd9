import AstroSvitla
import Foundation
import Testing

/// What a person does with charts, profiles and areas beside buying.
@Suite struct KeepingTests {
  private let birth = [
    "--date", "1991-08-24", "--time", "07:45", "--latitude", "50.45", "--longitude", "30.52", "--time-zone",
    "Europe/Kyiv",
  ]

  private func run(_ folder: URL, _ arguments: String...) throws -> ProgramRun {
    try ProgramRun(["astrosvitla"] + arguments + ["--device", "phone"], in: folder)
  }

  private func withChart(_ body: (URL) throws -> Void) throws {
    try withDevices("phone") { folder in
      let add = ["astrosvitla", "chart", "add", "Olena", "--profile", "Mother", "--device", "phone"] + birth
      #expect(try ProgramRun(add, in: folder).code == 0)
      try body(folder)
    }
  }

  @Test func `areas are locked, to be had or owned, and the balance stands below`() throws {
    try withChart { folder in
      let locked = try run(folder, "report", "areas", "olena")
      #expect(locked.code == 0 && locked.output.ranges(of: "locked: no free credit").count == 4, "\(locked)")
      #expect(try run(folder, "buy", "pack5").output.hasSuffix("\navailable 5 · consumed 0 · purchased 5\n"))
      #expect(try run(folder, "report", "generate", "olena", "--area", "career").code == 0)
      let offers = try run(folder, "report", "areas", "olena")
      let lines = offers.output.split(separator: "\n")
      #expect(lines.count == 5 && lines[0].hasSuffix("  for one credit"), "\(offers)")
      #expect(lines[1].hasPrefix("Career ") && lines[1].hasSuffix("  owned"))
      #expect(lines[4] == "available 4 · consumed 1 · purchased 5")
      #expect(try run(folder, "report", "list").output.hasSuffix("\n\(lines[4])\n"))
      let ukrainian = try run(folder, "report", "areas", "olena", "--language", "uk")
      #expect(ukrainian.output.contains("придбано\n") && ukrainian.output.contains("за один кредит\n"))
      let json = try run(folder, "report", "areas", "olena", "--json")
      #expect(json.output.contains(#""area" : "career""#) && json.output.contains(#""state" : "owned""#))
    }
  }

  @Test func `a sentence of trouble steers no terminal`() throws {
    try withChart { folder in
      let word = "a\u{1B}[31mb\u{202E}c\nd"
      for arguments in [["buy", word], ["credits", "--\(word)"], ["restore", word]] {
        let run = try ProgramRun(["astrosvitla"] + arguments + ["--device", "phone"], in: folder)
        #expect(run.code != 0 && run.trouble.contains(#"a\u{1b}[31mb\u{202e}c\nd"#), "\(run)")
        #expect(!run.trouble.contains("\u{1B}") && !run.trouble.contains("\u{202E}"), "\(run)")
      }
    }
  }

  @Test func `a chart is renamed, and deleted with its reports only where that is said`() throws {
    try withChart { folder in
      #expect(try run(folder, "chart", "rename", "olena", "  Олена ").output == "renamed: Олена\n")
      #expect(try run(folder, "chart", "rename", "олена", "").code == 2)
      #expect(try run(folder, "chart", "rename", "olena", "x").code == 1)
      let turned = try run(folder, "chart", "rename", "олена", "a\u{202E}b")
      #expect(turned.output == "renamed: a\\u{202e}b\n")
      #expect(try run(folder, "chart", "rename", "a\u{202E}b", "Олена").code == 0)
      #expect(try run(folder, "buy", "single").code == 0)
      #expect(try run(folder, "report", "generate", "Олена", "--area", "career").code == 0)
      let refused = try run(folder, "chart", "delete", "Олена")
      #expect(refused.code == 2 && refused.trouble.contains("--with-reports"), "\(refused)")
      #expect(try run(folder, "chart", "list").output.contains("Олена"))
      #expect(try run(folder, "chart", "delete", "Олена", "--with-reports").output == "deleted: Олена\n")
      #expect(try !run(folder, "chart", "list").output.contains("Олена"))
      #expect(try run(folder, "credits").output == "available 0 · consumed 1 · purchased 1\n")
    }
  }

  @Test func `profiles are listed, renamed and deleted, and their charts stay`() throws {
    try withChart { folder in
      let list = try run(folder, "profile", "list")
      #expect(list.output.contains("Mother  1       0"), "\(list)")
      #expect(try run(folder, "profile", "rename", "mother", "Mama").output == "renamed: Mama\n")
      #expect(try run(folder, "profile", "delete", "mother").code == 1)
      #expect(try run(folder, "profile", "list", "--json").output.contains(#""name" : "Mama""#))
      #expect(try run(folder, "profile", "delete", "MAMA").output == "deleted: Mama\n")
      #expect(try run(folder, "profile", "list").output.split(separator: "\n").count == 1)
      let charts = try run(folder, "chart", "list")
      #expect(charts.output.contains("Olena") && !charts.output.contains("Mama"))
    }
  }
}
