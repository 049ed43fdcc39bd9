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

  private static func numbers(_ reader: JSONReader, of replicas: Set<String>) throws -> [String: Int] {
    var numbers: [String: Int] = [:]
    for (name, member) in try reader.members() {
      guard replicas.contains(name) else { throw reader.failure("there is no replica \"\(name)\"") }
      numbers[name] = try member.integer(in: 64...131_072)
    }
    return numbers
  }

  private static func names(_ reader: JSONReader, among replicas: Set<String>) throws -> [String] {
    let names = try reader.strings()
    for name in names where !replicas.contains(name) { throw reader.failure("there is no replica \"\(name)\"") }
    return names
  }

  static func parse(_ value: JSONValue) throws -> Scenario {
    let file = JSONReader(value: value, place: "the file")
    let members = try file.members(
      required: ["id", "entities", "replicas", "steps", "expect"],
      optional: [
        "title", "orders", "note", "refusesUnknownUpdates", "largeValueBytes", "valuesOnDemand", "sealed", "shared",
      ])
    let steps = read(members, "steps")
    let listed = try read(members, "replicas").strings()
    let replicas = listed + clones(in: steps.value).filter { !listed.contains($0) }
    let names = Set(replicas)
    guard names.count == replicas.count, !names.isEmpty else {
      throw ScenarioError("the file, replicas: name each replica once, and at least one")
    }
    guard case .array(let list) = steps.value else { throw steps.failure("expected a list of steps") }
    return Scenario(
      id: try read(members, "id").string(), title: try members["title"]?.string() ?? "",
      schema: try SchemaParser.schema(read(members, "entities")),
      ordered: try SchemaParser.ordered(read(members, "entities")), replicas: replicas,
      steps: try list.enumerated().map { index, step in
        try StepParser(replicas: names).step(JSONReader(value: step, place: "step \(index + 1)"))
      },
      expect: try ExpectationParser(replicas: names).expectations(
        JSONReader(value: read(members, "expect").value, place: "expect")),
      orders: try members["orders"].map { try orders($0, replicas: replicas) } ?? [],
      permutesFiles: members["orders"]?.value == .string("all"),
      refusesUnknownUpdates: try members["refusesUnknownUpdates"]?.bool() ?? false,
      largeValueBytes: try members["largeValueBytes"].map { try numbers($0, of: names) } ?? [:],
      valuesOnDemand: try Set(members["valuesOnDemand"].map { try self.names($0, among: names) } ?? []),
      isSealed: try members["sealed"]?.bool() ?? false, isShared: try members["shared"]?.bool() ?? false)
  }

  /// Replicas that steps make as copies; the file need not list them.
  private static func clones(in steps: JSONValue) -> [String] {
    guard case .array(let list) = steps else { return [] }
    var names: [String] = []
    for case .object(let step) in list {
      guard case .object(let clone)? = step["clone"], case .string(let name)? = clone["as"], !names.contains(name)
      else {
        continue
      }
      names.append(name)
    }
    return names
  }

  /// `"all"`, or a list of orders, each a list of all replicas.
  private static func orders(_ reader: JSONReader, replicas: [String]) throws -> [[String]] {
    if case .array = reader.value {
      return try reader.elements("order").flatMap { order -> [[String]] in
        if case .string = order.value { return try orders(order, replicas: replicas) }
        let names = try order.strings()
        guard names.sorted() == replicas.sorted() else {
          throw order.failure("an order names each of \(replicas.joined(separator: ", ")) once")
        }
        return [names]
      }
    }
    guard try reader.string() == "all" else {
      throw reader.failure("unknown order \(reader.value); give \"all\", or lists of the replicas' names")
    }
    guard replicas.count <= 4 else {
      throw reader.failure("all orders are tried for up to four replicas, here are \(replicas.count): list some orders")
    }
    return permutations(of: replicas)
  }

  private static func permutations(of names: [String]) -> [[String]] {
    guard names.count > 1 else { return [names] }
    return names.indices.flatMap { index -> [[String]] in
      var rest = names
      let first = rest.remove(at: index)
      return permutations(of: rest).map { [first] + $0 }
    }
  }

  /// A member that was required when the object was read.
  private static func read(_ members: [String: JSONReader], _ name: String) -> JSONReader {
    guard let reader = members[name] else { preconditionFailure("a required member is there once it was checked") }
    return reader
  }
}
