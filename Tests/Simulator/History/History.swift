import Foundation
package import ScenarioRunner

/// What several replicas do and what befalls them: a plain value, made by a pure generator from a seed, and printable
/// as a scenario file.
package struct History: Hashable, Sendable {
  package var seed: UInt64
  package var theme: String
  /// What replicas begin with.
  var schema: SimulatedSchema
  /// What they have in the end: that of the theme.
  var newestSchema: SimulatedSchema
  /// In the order in which equal stamps are decided.
  package var replicas: [String]
  package var steps: [HistoryStep]
  /// The steps from here on bring everything to everybody.
  package var settlingBegins: Int
  /// By replica: from so many bytes on its saves put values beside the store.
  var largeValueBytes: [String: Int] = [:]
  /// Who takes large values only when asked to.
  var valuesOnDemand: Set<String> = []
  /// Whether folders are encrypted with a family's key.
  var isSealed = false
  /// Whether that family is a shared one.
  var isShared = false

  /// The devices that have no part in the end: the family has replaced its key and given them none.
  var forgotten: Set<String> {
    Set(steps.compactMap { if case .rotate(_, let gone) = $0 { gone } else { nil } })
  }
  var members: [String] { replicas.filter { !forgotten.contains($0) } }

  /// Whether dead records are forgotten on the way. Then an update of what is forgotten is refused, as apps know it,
  /// and does not wait for an insert, as scenarios may have it.
  var collects: Bool {
    steps.contains { if case .collect = $0 { true } else { false } }
  }

  /// Whether devices take snapshots or make their folders small. One that begins with a snapshot has not merged what it
  /// holds, so its conflict log does not tell of that.
  var hasSnapshots: Bool {
    steps.contains { step in
      switch step {
      case .snapshot, .compact, .maintain: true
      default: false
      }
    }
  }

  /// Whether a device may begin with a snapshot: one that replaces the key writes what history has no more into one.
  var mayJoinSnapshots: Bool {
    hasSnapshots || steps.contains { if case .rotate = $0 { true } else { false } }
  }

  /// Whether the oracle knows what must be seen. Of copies and restored backups it does not know which of two lives a
  /// transaction belongs to, nor what becomes of a device that was retired too early: then the replicas are compared
  /// with each other.
  var hasOracle: Bool {
    !steps.contains { step in
      switch step {
      case .clone, .restore, .retire: true
      default: false
      }
    }
  }

  var hasCopies: Bool {
    steps.contains { step in
      switch step {
      case .clone, .restore: true
      default: false
      }
    }
  }

  /// As a scenario file. `failures`: by step, the code with which the engine refused it; `skipped`: steps that made
  /// no sense where they stood, left out.
  func document(
    failures: [Int: String] = [:], skipped: Set<Int> = [], title: String? = nil, expect: JSONValue = .object([:])
  ) -> JSONValue {
    let kept = steps.indices.filter { !skipped.contains($0) }
    var members: [String: JSONValue] = [
      "id": .string("R\(seed)"), "title": .string(title ?? "history \(seed), \(theme)"),
      "entities": schema.document, "replicas": .array(replicas.map(JSONValue.string)),
      "steps": .array(kept.map { steps[$0].document(schema: newestSchema, fails: failures[$0]) }), "expect": expect,
    ]
    if !largeValueBytes.isEmpty {
      members["largeValueBytes"] = .object(largeValueBytes.mapValues { .integer(Int64($0)) })
    }
    if !valuesOnDemand.isEmpty { members["valuesOnDemand"] = .array(valuesOnDemand.sorted().map(JSONValue.string)) }
    if isSealed { members["sealed"] = .bool(true) }
    if isShared { members["shared"] = .bool(true) }
    if collects { members["refusesUnknownUpdates"] = .bool(true) }
    return .object(members)
  }

  /// As a scenario file whose expectations are the oracle's, after the history was run.
  package func scenarioText(of outcome: HistoryOutcome, title: String? = nil) -> String {
    document(
      failures: outcome.failures, skipped: outcome.skipped, title: title, expect: outcome.expectation
    ).scenarioText
  }

}

extension JSONValue {
  /// For people and files: one step or entity a line.
  package var scenarioText: String {
    guard case .object(let members) = self else { return jsonText }
    let order = [
      "id", "title", "note", "entities", "refusesUnknownUpdates", "largeValueBytes", "valuesOnDemand", "sealed",
      "shared", "replicas", "orders", "steps", "expect",
    ]
    let lines = order.compactMap { key -> String? in
      guard let value = members[key] else { return nil }
      if key == "steps", case .array(let steps) = value {
        return "  \"steps\": [\n" + steps.map { "    " + $0.jsonText }.joined(separator: ",\n") + "\n  ]"
      }
      return "  \"\(key)\": \(value.jsonText)"
    }
    return "{\n" + lines.joined(separator: ",\n") + "\n}\n"
  }

  var jsonText: String {
    switch self {
    case .object(let members):
      let order = ["on", "at", "insert", "update", "delete", "as", "set"]
      let keys = members.keys.sorted { left, right in
        let ranks = (order.firstIndex(of: left) ?? order.count, order.firstIndex(of: right) ?? order.count)
        return ranks.0 != ranks.1 ? ranks.0 < ranks.1 : left < right
      }
      let texts = keys.compactMap { key in members[key].map { "\"\(key)\": \($0.jsonText)" } }
      return "{" + texts.joined(separator: ", ") + "}"
    case .array(let values): return "[" + values.map(\.jsonText).joined(separator: ", ") + "]"
    case .string(let text): return text.jsonText
    default: return description
    }
  }
}

extension String {
  /// Quoted, with everything escaped that JSON asks for.
  fileprivate var jsonText: String {
    let escaped = unicodeScalars.map { scalar -> String in
      switch scalar {
      case "\"": "\\\""
      case "\\": "\\\\"
      case _ where scalar.value < 0x20: "\\u" + String(String(scalar.value + 0x10000, radix: 16).dropFirst())
      default: String(scalar)
      }
    }
    return "\"" + escaped.joined() + "\""
  }
}
