import Foundation
import Testing

@testable import MySubGuard

/// The two programs as people run them: real processes on a device directory of their own.
@Suite struct CommandTests {
  private let phone = Fixtures.devices.appending(path: "phone.csv").path
  private let laptop = Fixtures.devices.appending(path: "laptop.csv").path

  @Test func `an imported list is listed whole, and importing it again changes nothing`() throws {
    try withDevice { device in
      let first = try device.run("import", phone)
      #expect(first.output == "phone.csv: 29 added, 0 updated, 0 unchanged\n")
      let list = try device.run("list", "--json")
      let read = try SubscriptionList(json: Data(list.output.utf8), importedAt: .now)
      let expected = try SubscriptionList(contentsOf: URL(filePath: phone), importedAt: .now)
      #expect(Set(read.subscriptions) == Set(expected.subscriptions))
      let second = try device.run("import", phone)
      #expect(second.output == "phone.csv: 0 added, 0 updated, 29 unchanged\n")
    }
  }

  @Test func `an overlapping list updates what differs and keeps the rest`() throws {
    try withDevice { device in
      let run = try device.run("import", phone, laptop, "--every", "7")
      #expect(
        run.output == """
          phone.csv: 29 added, 0 updated, 0 unchanged
          laptop.csv: 17 added, 4 updated, 8 unchanged

          """)
      #expect(try device.run("totals").output.contains("46"))
    }
  }

  @Test func `a list with one bad line is named with line and column and leaves the store as it was`() throws {
    try withDevice { device in
      _ = try device.run("import", phone)
      let before = try device.run("list", "--json").output
      let bad = device.url.appending(path: "bad.csv")
      var text = try String(contentsOf: URL(filePath: laptop), encoding: .utf8)
      text += "not-an-id;x;1;mensuel;2026-01-01;Pro;2026-01-01\n"
      try Data(text.utf8).write(to: bad)
      let run = try device.run("import", laptop, bad.path)
      #expect(run.code == 2)
      #expect(run.trouble == "mysubguard: bad.csv: line 31, column 1: id: “not-an-id” is not a UUID\n")
      #expect(try device.run("list", "--json").output == before)
    }
  }

  @Test func `adding, editing and deleting by name are seen by the next command`() throws {
    try withDevice { device in
      let add = try device.run(
        "add", "Café Crème", "--amount", "4,50", "--frequency", "weekly", "--next", "2026-01-30",
        "--today", "2026-01-01")
      #expect(add.output == "added: Café Crème · €4.50 · Weekly · next Jan 30, 2026 · Personal\n")
      let edit = try device.run("edit", "CAFÉ crème", "--amount", "5", "--category", "Pro", "--today", "2026-01-30")
      #expect(edit.output == "changed: Café Crème · €5.00 · Weekly · next Jan 30, 2026 · Pro\n")
      #expect(try device.run("edit", "café crème", "--amount", "5").output.hasPrefix("unchanged:"))
      #expect(try device.run("totals").output.contains("€260.00"))
      let upcoming = try device.run("upcoming", "--days", "8", "--today", "2026-01-30")
      #expect(upcoming.output.hasSuffix("2 charges from Jan 30, 2026 to Feb 6, 2026: €10.00\n"))
      #expect(try device.run("delete", "café crème").code == 0)
      #expect(try device.run("list").output.hasSuffix("0 subscriptions\n"))
    }
  }

  /// The words were those of the stored names, which are French.
  @Test(arguments: ["en", "fr"]) func `each frequency that an error offers is taken`(language: String) throws {
    try withDevice { device in
      let add = { frequency in
        try device.run(
          "add", frequency, "--amount", "1", "--frequency", frequency, "--next", "2026-01-01", "--language", language)
      }
      let refused = try add("annual")
      #expect(refused.code == 2)
      let words = refused.trouble.split { !$0.isLetter && $0 != "-" }.map(String.init)
      let taken = try words.filter { try add($0).code == 0 }
      #expect(taken.count == BillingFrequency.allCases.count, "\(refused.trouble): \(taken)")
    }
  }

  /// A mark in a name that turned the direction of what follows turned the price and the date, too.
  @Test func `a name turns nothing else in its line`() throws {
    try withDevice { device in
      let add = try device.run(
        "add", "a\u{202E}b", "--amount", "4.50", "--frequency", "weekly", "--next", "2026-01-30", "--today",
        "2026-01-01")
      #expect(add.output == "added: a\\u{202e}b · €4.50 · Weekly · next Jan 30, 2026 · Personal\n")
      // Other programs get the name as it is.
      #expect(try device.run("export", "--format", "csv").output.contains("a\u{202E}b"))
    }
  }

  @Test func `a sentence of trouble steers no terminal`() throws {
    try withDevice { device in
      let word = "a\u{1B}[31mb\u{202E}c\nd"
      let add = ["--amount", "1", "--frequency", "weekly", "--next", "2026-01-01"]
      #expect(try device.run(["add", "x"] + add).code == 0)
      for arguments in [
        ["show", word], ["add", "y", "--amount", word] + add.dropFirst(2), ["list", "--\(word)"],
      ] {
        let run = try device.run(arguments)
        #expect(run.code != 0 && run.trouble.contains(#"a\u{1b}[31mb\u{202e}c\nd"#), "\(run)")
        #expect(!run.trouble.contains("\u{1B}") && !run.trouble.contains("\u{202E}"), "\(run)")
      }
    }
  }

  @Test func `what a command cannot do ends with its documented code and one sentence`() throws {
    try withDevice { device in
      #expect(try device.run("list").code == 2)
      #expect(try device.run("list").trouble.contains("yet"))
      for arguments in [["edit", "x", "--amount", "1"], ["delete", "x"]] {
        let run = try device.run(arguments)
        #expect(run.code == 2 && run.trouble.contains("yet"), "\(run.trouble)")
      }
      #expect(try device.stores().isEmpty)
      _ = try device.run("add", "x", "--amount", "1", "--frequency", "annuel", "--next", "2026-01-01")
      _ = try device.run("add", "x", "--amount", "1", "--frequency", "annuel", "--next", "2026-01-01")
      for (code, arguments) in [
        (1, ["edit", "nobody", "--amount", "1"]), (1, ["delete", "x"]), (2, ["edit", "x"]),
        (2, ["add", "y", "--amount", "1,299", "--frequency", "annuel", "--next", "2026-01-01"]),
        (2, ["import", "/nowhere/list.csv"]), (0, ["--help"]),
      ] as [(Int32, [String])] {
        let run = try device.run(arguments)
        #expect(run.code == code, "\(arguments): \(run.output)\(run.trouble)")
        #expect(run.trouble.isEmpty == (code == 0))
      }
      let elsewhere = try ProgramRun("mysubguard", "list", "--device", "/nowhere", in: device.url)
      #expect(elsewhere.code == 2)
      #expect(elsewhere.trouble.contains("no device directory at /nowhere"))
    }
  }

  @Test func `a store that cannot be used is told under the program's name`() throws {
    try withDevice { device in
      let group = device.url.appending(path: SubscriptionBook.groupIdentifier)
      let store = group.appending(path: "\(SubscriptionBook.storeName).store")
      try FileManager.default.createDirectory(at: store, withIntermediateDirectories: true)
      try Data("not a store".utf8).write(to: store.appending(path: "data.mdb"))
      let run = try device.run("list")
      #expect(run.code == 2)
      #expect(run.trouble.hasPrefix("mysubguard: the file at "), "\(run.trouble)")
      #expect(run.trouble.count { $0 == "\n" } == 1)
      try FileManager.default.removeItem(at: group)
    }
  }

  /// A failed write once ended the program by a trap.
  @Test func `output that cannot be written is told in one sentence`() throws {
    try withDevice { device in
      _ = try device.run("import", phone)
      let running = try RunningProgram(
        "mysubguard", ["list", "--device", device.url.path], in: device.url, output: URL(filePath: "/dev/full"))
      #expect(try running.waitForEnd() == 1)
      #expect(try running.trouble().hasPrefix("mysubguard: cannot write to standard output"))
    }
  }

  /// It ended the program by a trap.
  @Test func `trouble that cannot be told leaves the exit code`() throws {
    try withDevice { device in
      let add = ["add", "x", "--amount", "1", "--frequency", "weekly", "--next", "2026-01-01"]
      #expect(try device.run(add).code == 0)
      let full = URL(filePath: "/dev/full")
      for (program, word, code) in [
        ("mysubguard", "show", 1), ("mysubguard", "shwo", 2), ("mysubguard-widget", "x", 2),
      ] {
        let running = try RunningProgram(
          program, [word, "Nobody", "--device", device.url.path], in: device.url, trouble: full)
        #expect(try running.waitForEnd() == code, "\(program) \(word)")
      }
    }
  }

  @Test(arguments: [["--help"], ["--version"], ["help", "add"], []])
  func `help that cannot be written is told in one sentence`(arguments: [String]) throws {
    try withDevice { device in
      for program in ["mysubguard", "mysubguard-widget"] where program == "mysubguard" || arguments.count == 1 {
        let running = try RunningProgram(program, arguments, in: device.url, output: URL(filePath: "/dev/full"))
        #expect(try running.waitForEnd() == 1)
        #expect(try running.trouble().hasPrefix("\(program): cannot write to standard output"))
      }
    }
  }

  @Test func `help tells all in a terminal of any width`() throws {
    try withDevice { device in
      for columns in ["0", "20"] {
        let run = try ProgramRun(
          "mysubguard", ["add", "--help"], in: device.url, environment: ["COLUMNS": columns])
        #expect(run.code == 0 && run.output.contains("Per charge,"), "\(run)")
      }
    }
  }

  @Test(arguments: ["Europe/Paris", ":Europe/Paris", "français de France", "fr_\(String(repeating: "x", count: 500))"])
  func `a locale that nobody knows is as none`(name: String) throws {
    try withDevice { device in
      #expect(try device.run("import", phone).code == 0)
      let expected = try device.run("list")
      var strange = device
      strange.language = name
      let list = try strange.run("list")
      #expect(list.code == 0 && list.output == expected.output, "\(list)")
    }
  }
}
