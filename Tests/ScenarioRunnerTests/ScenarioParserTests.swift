import Foundation
import RecordStore
import Testing

@testable import ScenarioRunner

struct ScenarioParserTests {
  private func parse(_ steps: String, expect: String = "{}", extra: String = "") throws -> Scenario {
    let text = """
      {"id": "X1", "title": "a test", "entities": {"Row": {"attributes": {"a": "int=0", "t": "string?"}}},
       "replicas": ["A", "B"], "steps": [\(steps)], "expect": \(expect)\(extra)}
      """
    return try ScenarioParser.parse(Data(text.utf8))
  }

  private func message(_ steps: String, expect: String = "{}", extra: String = "") -> String? {
    #expect(throws: ScenarioError.self) { try parse(steps, expect: expect, extra: extra) }?.message
  }

  @Test func `a step names its device, its time and its work`() throws {
    let scenario = try parse(#"{"on": "A", "at": 3, "save": [{"insert": "Row", "as": "r", "set": {"a": 1}}]}"#)
    #expect(
      scenario.steps.map(\.action) == [
        .save(on: "A", at: 3, changes: [.insert(entity: "Row", name: "r", values: ["a": .integer(1)])])
      ])
    #expect(scenario.schema.entities[0].attributes.map(\.defaultValue) == [.int(0), nil])
    #expect(scenario.schema.entities[0].attributes.map(\.isOptional) == [false, true])
  }

  @Test func `an unknown key is an error that names the step`() {
    #expect(
      message(#"{"sync": ["A", "B"]}, {"sync": ["A"], "speed": 3}"#)
        == #"step 2: unknown key "speed"; known here: fails, note, report, sync"#)
    #expect(
      message(#"{"sink": ["A"]}"#)?
        .hasPrefix("step 1: no known action in \"sink\"; known: save") == true)
    #expect(message("{}")?.hasPrefix("step 1: no action; known: save") == true)
    #expect(
      message(#"{"on": "A", "at": 1, "save": [{"delete": "x", "sett": {}}]}"#)
        == #"step 1, save, change 1: unknown key "sett"; known here: delete, note"#)
    #expect(message("", expect: #"{"recods": {}}"#)?.hasPrefix("expect: unknown key \"recods\"") == true)
    #expect(message("", extra: #", "colour": 1"#)?.hasPrefix("the file: unknown key \"colour\"") == true)
  }

  @Test func `a wrong value is an error that names its place`() {
    #expect(message(#"{"sync": ["A", "Z"]}"#) == #"step 1, sync, replica 2: there is no replica "Z""#)
    #expect(message(#"{"sync": "A"}"#) == #"step 1, sync: expected a list, found "A""#)
    #expect(
      message(#"{"on": "A", "at": "x", "save": []}"#) == #"step 1, at: expected a whole number, found "x""#)
    #expect(message(#"{"on": "A", "at": 1.5, "save": []}"#) == "step 1, at: expected a whole number, found 1.5")
    #expect(
      message("", extra: #", "orders": "some""#)
        == #"the file, orders: unknown order "some"; give "all", or lists of the replicas' names"#)
    #expect(
      message("", extra: #", "orders": [["A"]]"#) == "the file, orders, order 1: an order names each of A, B once")
  }

  @Test func `parts that may be left out are not asked for`() throws {
    let scenario = try parse(
      #"""
      {"on": "A", "save": [{"insert": "Row"}]}, {"remove": {"from": "A", "to": "B"}},
      {"deliver": {"from": "A", "to": "B", "files": 1}}
      """#
    )
    #expect(
      scenario.steps.map(\.action) == [
        .save(on: "A", at: nil, changes: [.insert(entity: "Row", name: "step 1, save, change 1", values: [:])]),
        .fault(.remove, from: "A", to: "B", file: 0), .deliver(from: "A", to: "B", files: [1]),
      ])
    #expect(scenario.orders.isEmpty)
  }

  @Test func `orders are all of them, or those that are listed`() throws {
    #expect(try parse("", extra: #", "orders": "all""#).orders == [["A", "B"], ["B", "A"]])
    #expect(try parse("", extra: #", "orders": [["B", "A"]]"#).orders == [["B", "A"]])
    #expect(try parse("", extra: #", "orders": ["all", ["B", "A"]]"#).orders.count == 3)
    #expect(try parse("", extra: #", "orders": []"#).orders.isEmpty)
  }

  /// Numbers that no clock, file or field can have once ended the whole run: conversions trapped.
  @Test(arguments: [
    (#"{"on": "A", "at": -5, "save": []}"#, "step 1, at: -5 is not between 0 and 200000000000000"),
    (#"{"on": "A", "at": 9000000000000000000, "save": []}"#, "step 1, at: 9000000000000000000 is not between"),
    (#"{"clock": {"on": "A", "offsetHours": 9000000000000000}}"#, "step 1, clock, offsetHours: 9000000000000000 is"),
    (#"{"truncate": {"from": "A", "to": "B", "file": 0, "percent": -1}}"#, "step 1, truncate, percent: -1 is not"),
    (
      #"{"upgrade": {"on": "A", "entities": {"R": {"attributes": {"n": "int=1e30"}}}}}"#,
      "step 1, upgrade, entities, R,"
    ),
  ])
  func `a number out of range is an error that names its place`(step: String, start: String) {
    let message = message(step)
    #expect(message?.hasPrefix(start) == true, "\(message ?? "it was read")")
  }

  /// The documented example names `House` without describing it.
  @Test func `an entity that is named only by a relationship has no attributes`() throws {
    let scenario = try ScenarioParser.parse(
      Data(
        #"""
        {"id": "X1", "title": "t", "replicas": ["A"], "steps": [], "expect": {},
         "entities": {"Person": {"relationships": {"home": {"to": "House", "inverse": "people"}}}}}
        """#.utf8))
    #expect(scenario.schema.entities.map(\.name) == ["Person", "House"])
    #expect(scenario.schema.entities[1].relationships.map(\.name) == ["people"])
  }

  @Test func `a file that is not JSON says so`() {
    let error = #expect(throws: ScenarioError.self) { try ScenarioParser.parse(Data("hello".utf8)) }
    #expect(error?.message.hasPrefix("the file is not JSON") == true)
  }
}
