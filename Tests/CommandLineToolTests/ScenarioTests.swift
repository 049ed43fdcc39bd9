import Foundation
import StoreInspection
import Testing

struct ScenarioTests {
  private let tandem = Tandem()

  private static let holding = """
    {"id": "T1", "title": "the later edit wins",
     "entities": {"Person": {"attributes": {"name": "string"}}},
     "replicas": ["A", "B"],
     "steps": [
       {"on": "A", "at": 1, "save": [{"insert": "Person", "as": "p", "set": {"name": "bob"}}]},
       {"sync": ["A", "B"]},
       {"on": "A", "at": 10, "save": [{"update": "p", "set": {"name": "john"}}]},
       {"on": "B", "at": 20, "save": [{"update": "p", "set": {"name": "dave"}}]},
       {"sync": ["A", "B"]}
     ],
     "expect": {"records": {"Person": [{"as": "p", "name": "dave"}]}}}
    """

  private func withFolder(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tandem-scenario-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer {
      do {
        try FileManager.default.removeItem(at: folder)
      } catch {
        Issue.record("could not remove \(folder.path): \(error)")
      }
    }
    try body(folder)
  }

  @Test func `scenarios that hold exit with 0, one that does not with 1`() throws {
    try withFolder { folder throws in
      try Data(Self.holding.utf8).write(to: folder.appendingPathComponent("one.json"))
      let good = try tandem.run("scenario", "run", folder.path)
      #expect(good.status == 0, "\(good)")
      #expect(good.lines == ["ok   T1 the later edit wins", "1 of 1 scenario hold"], "\(good)")

      let wrong = Self.holding.replacingOccurrences(of: "\"name\": \"dave\"}]", with: "\"name\": \"john\"}]")
      try Data(wrong.utf8).write(to: folder.appendingPathComponent("two.json"))
      let bad = try tandem.run("scenario", "run", folder.path)
      #expect(bad.status == 1, "\(bad)")
      #expect(bad.lines.contains { $0.hasPrefix("FAIL T1 the later edit wins, in \(folder.path)/two.json: on A: ") })
      #expect(bad.lines.last == "1 of 2 scenarios hold")
      let json = try tandem.run("scenario", "run", folder.path, "--json")
      #expect(json.status == 1)
      #expect(try json.lines.map { try JSON(parsing: $0)["id"] } == [.string("T1"), .string("T1")])
    }
  }

  @Test func `a path without scenarios is wrong input`() throws {
    try withFolder { folder throws in
      for path in [folder.path, folder.path + "/no.json"] {
        let outcome = try tandem.run("scenario", "run", path)
        #expect(outcome.status == 2)
        #expect(outcome.trouble.hasPrefix("tandem: "), "\(outcome)")
        #expect(outcome.trouble.contains(path), "\(outcome)")
      }
    }
  }

  @Test func `what is no file does not hold, and one sentence says why`() throws {
    try withFolder { folder throws in
      let pipe = folder.appending(path: "pipe.json").path
      #expect(mkfifo(pipe, 0o600) == 0)
      let outcome = try tandem.run("scenario", "run", pipe, "/dev/null")
      #expect(outcome.status == 1)
      let failures = [pipe, "/dev/null"].map { "FAIL \($0): it is no file; name a file in JSON" }
      #expect(outcome.lines == failures + ["0 of 2 scenarios hold"], "\(outcome)")
    }
  }
}
