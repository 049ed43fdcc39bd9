import Foundation
import Testing

@testable import ScenarioRunner

/// Every file of SyncFixtures/scenarios, each a test of its own.
struct FixtureScenarioTests {
  static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../SyncFixtures/scenarios").standardizedFileURL

  static let names: [String] = {
    do {
      return try ScenarioRunner.files(at: [folder]).map(\.lastPathComponent)
    } catch {
      return ["the folder cannot be listed: \(error)"]
    }
  }()

  @Test(arguments: names) func `the scenario holds`(name: String) async {
    let result = await ScenarioRunner().run(FixtureScenarioTests.folder.appending(path: name))
    #expect(result.holds, "\(result.line)")
  }

  @Test(arguments: names) func `the scenario is tried in every order, or says why not`(name: String) throws {
    let text = try String(contentsOf: FixtureScenarioTests.folder.appending(path: name), encoding: .utf8)
    #expect(text.contains("\"orders\"") || text.contains("\"note\": \"no other orders"))
  }

  @Test func `there are at least the scenarios that were asked for, each named by its id`() throws {
    let names = FixtureScenarioTests.names
    #expect(names.count >= 35)
    for name in names {
      let file = FixtureScenarioTests.folder.appending(path: name)
      let scenario = try ScenarioParser.parse(try Data(contentsOf: file))
      #expect(scenario.id + ".json" == name)
      #expect(!scenario.title.isEmpty)
    }
  }
}

/// The runner itself: a scenario that does not hold must say so.
struct ScenarioRunnerTests {
  private func run(steps: String, expect: String, orders: Bool = false) async throws -> ScenarioResult {
    let text = """
      {"id": "X1", "title": "a test", "entities": {"Row": {"attributes": {"a": "int=0"}}}, "replicas": ["A", "B"],
       \(orders ? #""orders": "all","# : "")
       "steps": [\(steps)], "expect": \(expect)}
      """
    let file = FileManager.default.temporaryDirectory.appending(path: "scenario-\(UUID().uuidString).json")
    try Data(text.utf8).write(to: file)
    let result = await ScenarioRunner().run(file)
    try FileManager.default.removeItem(at: file)
    return result
  }

  private let insert = #"{"on": "A", "at": 1, "save": [{"insert": "Row", "as": "r", "set": {"a": 1}}]}"#

  @Test func `a wrong value is reported with what was found and expected`() async throws {
    let result = try await run(
      steps: insert, expect: #"{"on": {"A": {"records": {"Row": [{"as": "r", "a": 2}]}}}}"#)
    #expect(result.failures == ["on A: Row r.a is int(1), expected int(2)"])
    #expect(result.line.hasPrefix("FAIL X1 a test, in "))
    #expect(result.line.hasSuffix(": on A: Row r.a is int(1), expected int(2)"))
  }

  @Test func `a record that is missing or too many is reported`() async throws {
    let result = try await run(steps: insert, expect: #"{"records": {"Row": [{"as": "r", "a": 1}]}}"#)
    #expect(result.failures == [#"on B: Row r is not visible, expected {"a": 1}"#])
    let other = try await run(steps: insert, expect: #"{"on": {"A": {"records": {"Row": []}}}}"#)
    #expect(other.failures == ["on A: Row r is visible and not expected"])
  }

  @Test func `a conflict that was not logged, and one that was not expected, are reported`() async throws {
    let missing = try await run(steps: insert, expect: #"{"conflicts": [{"record": "r", "lost": 1}]}"#, orders: true)
    #expect(missing.failures.contains { $0.hasSuffix("the conflict log has no entry r, lost 1") })
    let second = insert.replacing(#""A", "at": 1"#, with: #""B", "at": 2"#).replacing(#""a": 1"#, with: #""a": 2"#)
    let extra = try await run(steps: insert + "," + second, expect: #"{"conflicts": []}"#, orders: true)
    #expect(extra.failures.contains { $0.contains("the conflict log says r, editLost, field a, lost int(1)") })
  }

  @Test func `a step that fails unexpectedly, or does not fail as expected, is reported`() async throws {
    let missing = try await run(steps: #"{"on": "A", "at": 1, "save": [{"delete": "q"}]}"#, expect: "{}")
    #expect(missing.failures == [#"step 1: no step before names a record "q""#])
    let works = try await run(steps: #"{"import": "A", "fails": "folderMissing"}"#, expect: "{}")
    #expect(works.failures == ["step 1: expected the failure folderMissing, but it worked"])
    let report = try await run(steps: insert + #", {"export": "A", "report": {"exported": 2}}"#, expect: "{}")
    #expect(report.failures == ["step 2: the report says exported 1, expected 2"])
  }

  @Test func `a path that is not there is one sentence`() {
    let error = #expect(throws: ScenarioError.self) {
      try ScenarioRunner.files(at: [URL(filePath: "/no/such/path")])
    }
    #expect(error?.message == "there is nothing at /no/such/path; give scenario files or folders of them")
  }
}
