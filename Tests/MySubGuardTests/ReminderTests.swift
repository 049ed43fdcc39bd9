import Foundation
import Testing

@testable import MySubGuard

@Suite struct ReminderTests {
  private func withTwo(_ body: (TestDevice, String) throws -> Void) throws {
    try withDevice { device in
      for (name, day) in [("Fibre; \"$HOME\"", "2026-01-31"), ("Radio", "2026-02-02")] {
        _ = try device.run("add", name, "--amount", "9.99", "--frequency", "mensuel", "--next", day)
      }
      try body(device, device.url.appending(path: "told.txt").path)
    }
  }

  private func remind(_ device: TestDevice, _ command: String, _ more: String...) throws -> ProgramRun {
    try device.run(["upcoming", "--days", "7", "--today", "2026-01-30", "--notify", command] + more)
  }

  @Test func `each reminder is handed to the program once, with its values`() throws {
    try withTwo { device, told in
      let script =
        #"f() { printf '%s|%s|%s|%s|%s\n' "$1" "$MYSUBGUARD_NAME" "$MYSUBGUARD_DATE" "$MYSUBGUARD_DAYS" "#
        + #""$MYSUBGUARD_AMOUNT $MYSUBGUARD_CURRENCY" >>'\#(told)'; }; f"#
      let first = try remind(device, script)
      #expect(first.code == 0, "\(first.trouble)")
      #expect(first.output.hasSuffix("2 told, 0 told before, 0 failed\n"), "\(first.output)")
      let text = try String(contentsOfFile: told, encoding: .utf8)
      #expect(
        text == """
          Fibre; "$HOME": €9.99 tomorrow (Jan 31, 2026)|Fibre; "$HOME"|2026-01-31|1|9.99 EUR
          Radio: €9.99 in 3 days (Feb 2, 2026)|Radio|2026-02-02|3|9.99 EUR

          """)
      #expect(try remind(device, script).output == "0 told, 2 told before, 0 failed\n")
      #expect(try String(contentsOfFile: told, encoding: .utf8) == text)
    }
  }

  @Test func `a reminder that the program does not take is tried again next time`() throws {
    try withTwo { device, told in
      let refusing = #"f() { case "$1" in Radio*) exit 3;; esac; }; f"#
      let run = try remind(device, refusing)
      #expect(run.code == 1 && run.trouble.contains("did not take the reminder of “Radio”"), "\(run.trouble)")
      #expect(run.output.hasSuffix("1 told, 0 told before, 1 failed\n"))
      #expect(try remind(device, "printf '%s' >>'\(told)'").output.hasSuffix("1 told, 1 told before, 0 failed\n"))
      #expect(try String(contentsOfFile: told, encoding: .utf8).hasPrefix("Radio"))
    }
  }

  @Test func `a program that takes too long is ended with all that it started`() throws {
    try withTwo { device, told in
      let run = try remind(device, "(sleep 60; echo late >>'\(told)') & wait; true", "--time-limit", "0.2")
      #expect(run.code == 1 && run.trouble.contains("took too long"), "\(run.trouble)")
      #expect(!FileManager.default.fileExists(atPath: told))
    }
  }

  /// Noted after it was told: a kill between the two tells it again, and leaves none out.
  @Test func `a process that is killed while it reminds leaves no reminder out`() throws {
    try withTwo { device, told in
      let running = try RunningProgram(
        "mysubguard",
        [
          "upcoming", "--days", "7", "--today", "2026-01-30", "--device", device.url.path, "--notify",
          "f() { echo \"$1\" >>'\(told)'; sleep 30; }; f",
        ], in: device.url)
      try running.wait { FileManager.default.fileExists(atPath: told) }
      running.send(SIGKILL)
      #expect(try running.waitForEnd() == -SIGKILL)
      #expect(try remind(device, "true").output.hasSuffix("2 told, 0 told before, 0 failed\n"))
    }
  }

  @Test func `two reminders at once tell each charge once`() throws {
    try withTwo { device, told in
      let arguments = [
        "upcoming", "--days", "7", "--today", "2026-01-30", "--device", device.url.path, "--notify",
        "f() { echo x >>'\(told)'; }; f",
      ]
      let both = try (0..<2).map { _ in try RunningProgram("mysubguard", arguments, in: device.url) }
      for running in both { #expect(try running.waitForEnd() == 0) }
      #expect(try String(contentsOfFile: told, encoding: .utf8) == "x\nx\n")
    }
  }

  @Test func `a file that is none of ours is refused, and old reminders are forgotten`() throws {
    try withTwo { device, _ in
      let file = device.url.appending(path: SubscriptionBook.groupIdentifier)
        .appending(path: "\(SubscriptionBook.storeName).reminders")
      _ = try remind(device, "true")
      #expect(try String(contentsOf: file, encoding: .utf8).split(separator: "\n").count == 3)
      _ = try device.run("upcoming", "--days", "7", "--today", "2027-12-28", "--notify", "true")
      #expect(try String(contentsOf: file, encoding: .utf8).contains("2026-") == false)
      try Data("something else\n".utf8).write(to: file)
      let run = try remind(device, "true")
      #expect(run.code == 2 && run.trouble.contains("is none of this version's"), "\(run.trouble)")
    }
  }

  @Test func `options that contradict each other are refused in a sentence`() throws {
    try withTwo { device, _ in
      for more in [["--json"], ["--ics"], ["--time-limit", "0"], ["--days", "0"]] {
        let run = try device.run(["upcoming", "--notify", "true"] + more)
        #expect(run.code == 2 && run.trouble.count { $0 == "\n" } == 1, "\(run.trouble)")
      }
    }
  }
}
