import Foundation
import HelperProcess
import TestSupport
import Testing

/// The programs of `Tests/Examples`, as a person runs them.
@Suite(.timeLimit(.minutes(TestLength.minutesUntilHung))) struct ExampleTests {
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

  @Test func `two workers of a server share one store, and end when they are asked to`() throws {
    try withFolder { folder in
      let store = folder.appendingPathComponent("book.store").path
      let workers = try (0..<2).map { _ in try HelperProcess(arguments: [store], program: "guest-book") }
      let ports = try workers.map { worker in
        let address = try #require(try worker.line(), "a worker ended before it served")
        return try #require(URL(string: address)?.port)
      }
      func answer(_ method: String, _ path: String, by worker: Int, _ body: String = "") throws -> (Int, String) {
        let type = body.isEmpty ? [:] : ["Content-Type": "application/json"]
        let response = try LoopbackClient.response(method, path, port: ports[worker], headers: type, body: body)
        return (response.status, response.body)
      }
      #expect(try answer("GET", "/entries", by: 0) == (200, "[]"))
      for worker in [0, 1, 0, 1] {
        let body = "{\"author\":\"worker \(worker)\",\"text\":\"<b>Hello</b>\"}"
        #expect(try answer("POST", "/entries", by: worker, body).0 == 201)
        let (status, seen) = try answer("GET", "/entries", by: 1 - worker)
        #expect(status == 200 && seen.contains("\"worker \(worker)\""), "\(seen)")
      }
      #expect(try answer("POST", "/entries", by: 0, "{\"author\":\"\",\"text\":\"x\"}").0 == 422)
      #expect(try answer("POST", "/entries", by: 0, "{").0 == 400)
      // The members of an object stand in another order in each process.
      let lists = try (0..<2).map { worker in
        let list = try JSONSerialization.jsonObject(with: Data(answer("GET", "/entries", by: worker).1.utf8))
        return try #require(list as? [[String: Any]])
      }
      #expect(lists[0] as NSArray == lists[1] as NSArray)
      let entries = lists[0]
      let id = try #require(entries.first?["id"] as? String)
      #expect(entries.count == 4)
      #expect(
        try answer("DELETE", "/entries/\(id)", by: 1).0 == 204 && answer("DELETE", "/entries/\(id)", by: 0).0 == 404)
      for worker in workers {
        #expect(kill(worker.processID, SIGTERM) == 0)
        #expect(try worker.finish() == 0, "a worker did not end well")
      }
    }
  }
}
