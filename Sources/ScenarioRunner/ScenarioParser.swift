import Foundation
import RecordStore

/// Reads a scenario file. Every mistake names the file's place and what was expected there.
enum ScenarioParser {
  static func parse(_ data: Data) throws -> Scenario {
    let value: JSONValue
    do {
      value = try JSONDecoder().decode(JSONValue.self, from: data)
    } catch is DecodingError {
      throw ScenarioError("the file is not JSON; check its quotes, commas and brackets")
    }
    return try parse(value)
  }

  static func parse(_ value: JSONValue) throws -> Scenario {
    let file = JSONReader(value: value, place: "the file")
    let members = try file.members(
      required: ["id", "title", "entities", "replicas", "steps", "expect"], optional: ["orders", "note"])
    let replicas = try read(members, "replicas").strings()
    let steps = read(members, "steps")
    var triesAllOrders = false
    if let orders = members["orders"] {
      guard try orders.string() == "all" else { throw orders.failure("the only order known is \"all\"") }
      guard replicas.count <= 4 else { throw orders.failure("all orders are tried for up to four replicas") }
      triesAllOrders = true
    }
    let names = Set(replicas)
    guard names.count == replicas.count, !names.isEmpty else {
      throw ScenarioError("the file, replicas: each replica is named once")
    }
    guard case .array(let list) = steps.value else { throw steps.failure("expected a list of steps") }
    return Scenario(
      id: try read(members, "id").string(), title: try read(members, "title").string(),
      schema: try SchemaParser.schema(read(members, "entities")), replicas: replicas,
      steps: try list.enumerated().map { index, step in
        try StepParser(replicas: names).step(JSONReader(value: step, place: "step \(index + 1)"))
      },
      expect: try ExpectationParser(replicas: names).expectations(
        JSONReader(value: read(members, "expect").value, place: "expect")),
      triesAllOrders: triesAllOrders)
  }

  /// A member that was required when the object was read.
  private static func read(_ members: [String: JSONReader], _ name: String) -> JSONReader {
    guard let reader = members[name] else { preconditionFailure("a required member is there once it was checked") }
    return reader
  }
}
