import Foundation
import HelperProcess
import TestSupport
import Testing

/// The programs of `Tests/Examples`, as a person runs them.
@Suite(.timeLimit(.minutes(5))) struct ExampleTests {
  private func withFolder(_ body: (URL) throws -> Void) throws {
    let folder = try makeTemporaryFolder()
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
    try body(folder)
  }

  /// Reads lines until one is the text.
  private func wait(for text: String, of program: HelperProcess) throws {
    while let line = try program.line() {
      if line == text { return }
    }
    Issue.record("the program ended before it said '\(text)'")
  }

  @Test func `a widget shows each save of the app, and misses none while it is not there`() throws {
    try withFolder { folder in
      let environment = ["TANDEM_CONTAINER_ROOT": folder.path]
      func habits(_ words: String...) throws -> (status: Int32, line: String?) {
        let app = try HelperProcess(arguments: words, environment: environment, program: "habits")
        return (try app.finish(), try app.line())
      }
      func widget() throws -> HelperProcess {
        try HelperProcess(arguments: [], environment: environment, program: "habits-widget")
      }
      #expect(try widget().finish() == 1, "a widget makes no store")
      #expect(try habits("add", "Run").status == 0)
      let first = try widget()
      try wait(for: "Run: 0 days", of: first)
      #expect(try habits("keep", "Run").status == 0)
      try wait(for: "Run: 1 day", of: first)
      first.kill()
      #expect(try habits("keep", "Run").status == 0 && habits("add", "Read").status == 0)
      let second = try widget()
      try wait(for: "Read: 0 days, Run: 1 day", of: second)
      #expect(try habits("remove", "Run").status == 0)
      try wait(for: "Read: 0 days", of: second)
      #expect(try habits("list") == (0, "Read: 0 days"))
      #expect(try habits("keep", "Run").status == 1 && habits("dance").status == 64)
      second.kill()
    }
  }

  @Test func `two devices share a list, also after one was killed and both edited the same item`() throws {
    try withFolder { folder in
      let exchange = folder.appendingPathComponent("exchange").path
      try FileManager.default.createDirectory(atPath: exchange, withIntermediateDirectories: true)
      func device(_ name: String) throws -> HelperProcess {
        let place = folder.appendingPathComponent(name).path
        return try HelperProcess(arguments: [place, exchange], program: "shared-list")
      }
      let phone = try device("phone")
      let laptop = try device("laptop")
      try phone.send("add Milk")
      try wait(for: "1 Milk", of: laptop)
      try laptop.send("add Bread")
      try wait(for: "1 Bread, 1 Milk", of: phone)
      laptop.kill()
      try phone.send("amount 2 Milk")
      try wait(for: "1 Bread, 2 Milk", of: phone)
      let again = try device("laptop")
      try again.send("tick Milk")
      try wait(for: "1 Bread, ✓ 2 Milk", of: again)
      try wait(for: "1 Bread, ✓ 2 Milk", of: phone)
      try again.send("remove Bread")
      try wait(for: "✓ 2 Milk", of: phone)
      #expect(try phone.finish() == 0 && again.finish() == 0)
    }
  }
}
