import Foundation
import Testing

@testable import ScenarioRunner

/// The forms in which people write what the format allows, as whole files.
struct ScenarioFormTests {
  private func run(
    _ attributes: String, set: String, expect: String, entities: String = "", orders: String = #""all""#
  ) async throws -> [String] {
    try await run(
      entities: #"{"Row": {"attributes": {\#(attributes)}}\#(entities)}"#,
      steps: #"{"on": "A", "at": 1, "save": [{"insert": "Row", "as": "r", "set": {\#(set)}}]}"#,
      expect: #"{"records": {"Row": [{"as": "r", \#(expect)}]}}"#, orders: orders)
  }

  private func run(
    entities: String, replicas: String = #"["A", "B"]"#, steps: String, expect: String, orders: String = #""all""#
  ) async throws -> [String] {
    let text = """
      {"id": "X1", "entities": \(entities), "replicas": \(replicas), "orders": \(orders), "steps": [\(steps)],
       "expect": \(expect)}
      """
    let file = FileManager.default.temporaryDirectory.appending(path: "scenario-\(UUID().uuidString).json")
    try Data(text.utf8).write(to: file)
    let result = await ScenarioRunner().run(file)
    try FileManager.default.removeItem(at: file)
    return result.failures
  }

  @Test(arguments: [
    ("int", "3", "3.0"), ("int", "-9223372036854775808", "-9223372036854775808"), ("double", "3", "3.0"),
    ("double", #""nan""#, #""nan""#), ("double", #""-inf""#, #""-inf""#), ("double", "1e300", "1e300"),
    ("decimal", "12.10", #""12.1""#), ("decimal", "3", #""3.00""#), ("decimal", "0.1", #""0.1""#),
    ("bool", "1", "true"),
    ("date", "0", #""2001-01-01T00:00:00Z""#), ("date", "0.5", "0.5"), ("data", #""00ff""#, #""AP8=""#),
    ("uuid", #""8d1c3c0e-0000-4000-8000-000000000001""#, #""8D1C3C0E-0000-4000-8000-000000000001""#),
    ("string", #""\u00e4""#, #""ä""#), ("string?", "null", "null"),
  ])
  func `a value may be written in several forms`(type: String, written: String, expected: String) async throws {
    #expect(try await run(#""a": "\#(type)""#, set: #""a": \#(written)"#, expect: #""a": \#(expected)"#) == [])
  }

  @Test(arguments: [
    ("int=-4", "-4"), ("string=a=b", #""a=b""#), ("string=", #""""#), ("bool=true", "true"), ("double=1.5", "1.5"),
    ("decimal=1.10", "1.1"), ("date=10", "10"), ("int?=7", "7"), ("string?", "null"), ("int?", "null"),
    ("data=ff", #""ff""#),
  ])
  func `a default is what an insert without the value writes`(type: String, expected: String) async throws {
    #expect(try await run(#""a": "\#(type)""#, set: "", expect: #""a": \#(expected)"#) == [])
  }

  @Test(arguments: ["int=4.5", "int=9223372036854775808", "bool=yes", "decimal=x", "double=", "whole"])
  func `a type or default that is none is refused`(type: String) async throws {
    let failures = try await run(#""a": "\#(type)""#, set: "", expect: #""a": 0"#)
    #expect(failures.first?.hasPrefix("the file, entities, Row, attributes, a: ") == true, "\(failures)")
  }

  private static let people = """
    {"Person": {"attributes": {"name": "string="},
                "relationships": {"home": {"to": "House", "inverse": "people"},
                                  "passport": {"to": "Passport", "one": true, "inverse": "owner"},
                                  "clubs": {"to": "Club", "many": true, "inverse": "members"}}}}
    """

  @Test func `relationships are set and expected from either side, by one name, a list or null`() async throws {
    let failures = try await run(
      entities: ScenarioFormTests.people,
      steps: #"""
        {"on": "A", "at": 1, "save": [
          {"insert": "House", "as": "h"}, {"insert": "Club", "as": "c"}, {"insert": "Club", "as": "d"},
          {"insert": "Passport", "as": "x"},
          {"insert": "Person", "as": "p", "set": {"home": "h", "clubs": ["c"], "passport": "x"}},
          {"insert": "Person", "as": "q", "set": {"home": null, "passport": null, "clubs": null}}]},
        {"sync": ["A", "B"]},
        {"on": "B", "at": 2, "save": [
          {"update": "h", "set": {"people": ["q"]}}, {"update": "p", "set": {"clubs": "d"}}]}
        """#,
      expect: #"""
        {"records": {
          "Person": [
            {"as": "p", "home": null, "clubs": ["d"], "passport": "x"}, {"as": "q", "home": "h", "clubs": null}],
          "House": [{"as": "h", "people": ["q"]}], "Passport": [{"as": "x", "owner": "p"}],
          "Club": [{"as": "c", "members": []}, {"as": "d", "members": "p"}]}}
        """#)
    #expect(failures == [])
  }

  @Test func `a record that nobody names is found by its values`() async throws {
    let steps = #"{"on": "A", "save": [{"insert": "Row", "set": {"a": 1}}, {"insert": "Row", "set": {"a": 2}}]}"#
    let entities = #"{"Row": {"attributes": {"a": "int"}}}"#
    let good = try await run(
      entities: entities, steps: steps, expect: #"{"records": {"Row": [{"a": 2}, {"a": 1}]}}"#)
    #expect(good == [])
    let bad = try await run(entities: entities, steps: steps, expect: #"{"records": {"Row": [{"a": 2}, {"a": 2}]}}"#)
    #expect(bad.first?.contains(#"no other Row is visible with {"a": 2}"#) == true, "\(bad)")
  }

  @Test func `equal times are decided by the greater name, in whatever order the file lists the replicas`() async throws
  {
    let failures = try await run(
      entities: #"{"Row": {"attributes": {"a": "int=0"}}}"#, replicas: #"["B", "A"]"#,
      steps: #"""
        {"on": "A", "at": 1, "save": [{"insert": "Row", "as": "r"}]}, {"sync": ["A", "B"]},
        {"on": "A", "at": 5, "save": [{"update": "r", "set": {"a": 1}}]},
        {"on": "B", "at": 5, "save": [{"update": "r", "set": {"a": 2}}]}
        """#,
      expect: #"{"records": {"Row": [{"as": "r", "a": 2}]}, "conflicts": [{"record": "r"}]}"#)
    #expect(failures == [])
  }

  @Test func `an update may come before any insert`() async throws {
    let failures = try await run(
      entities: #"{"Row": {"attributes": {"a": "int=0", "b": "int=0"}}}"#,
      steps: #"""
        {"on": "A", "at": 1, "save": [{"update": "r", "set": {"a": 10}}]},
        {"check": {"on": {"A": {"records": {"Row": []}, "hidden": {"Row": [{"as": "r", "a": 10}]}}}}},
        {"on": "B", "at": 0, "save": [{"insert": "Row", "as": "r", "set": {"a": 5, "b": 7}}]}
        """#,
      expect: #"{"records": {"Row": [{"as": "r", "a": 10, "b": 7}]}}"#)
    #expect(failures == [])
  }

  /// The step fails by itself, as it should; nobody has to say so.
  @Test func `a sync after the folder was emptied pauses, and goes on when the files are back`() async throws {
    let failures = try await run(
      entities: #"{"Row": {"attributes": {"a": "int=0"}}}"#,
      steps: #"""
        {"on": "A", "at": 1, "save": [{"insert": "Row", "as": "r"}]}, {"sync": ["A", "B"]}, {"wipeFolder": "A"},
        {"sync": ["A", "B"]}, {"export": "A"}
        """#,
      expect: #"{"records": {"Row": [{"as": "r"}]}}"#)
    #expect(failures == [])
  }

  @Test func `folders are read with all that lies below them, hidden files left out`() throws {
    let root = FileManager.default.temporaryDirectory.appending(path: "scenario-\(UUID().uuidString)")
    for name in ["b/two.json", "one.json", ".hidden/three.json", "b/note.txt"] {
      let file = root.appending(path: name)
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data().write(to: file)
    }
    let files = try ScenarioRunner.files(at: [root]).map(\.path)
    try FileManager.default.removeItem(at: root)
    #expect(files.map { $0.dropFirst(root.path.count + 1) } == ["b/two.json", "one.json"])
  }
}
