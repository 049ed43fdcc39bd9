import RecordStore
import ScenarioRunner

/// The entities of a history, as far as its rules matter: small enough for the oracle to work with, and written into
/// the scenario that the engine reads.
struct SimulatedSchema: Hashable, Sendable {
  struct Attribute: Hashable, Sendable {
    var name: String
    /// As in a scenario: `string`, `int`, `file`.
    var type: String
    var isOptional = false
  }

  /// A to-one side. The rule is that of the other side.
  struct Reference: Hashable, Sendable {
    var name: String
    var target: String
    var isRequired = false
    var rule = "nullify"
    var isExclusive = false

    var isCascade: Bool { rule == "cascade" }
    var isDeny: Bool { rule == "deny" }
    /// Whether an invisible target hides the holder.
    var hides: Bool { isRequired || isCascade }
  }

  struct Entity: Hashable, Sendable {
    var name: String
    var attributes: [Attribute] = []
    var references: [Reference] = []
    /// Many-to-many relationships, by name, with the entity at the other end.
    var links: [String: String] = [:]
    var unique: [[String]] = []
    var groups: [[String]] = []
    var deleteIsFinal = false
    /// Set for the records that stand for links.
    var isJoin = false

    func isFile(_ attribute: String) -> Bool { attributes.contains { $0.name == attribute && $0.type == "file" } }
  }

  var entities: [Entity]

  var hasFiles: Bool { entities.contains { $0.attributes.contains { $0.type == "file" } } }

  func entity(_ name: String) -> Entity {
    guard let entity = entities.first(where: { $0.name == name }) else {
      preconditionFailure("a history names only entities of its schema, not \(name)")
    }
    return entity
  }

  /// With an entity for the links of each many-to-many relationship, as stores have them.
  var withJoins: SimulatedSchema {
    var all = self
    for entity in entities {
      for (name, target) in entity.links.sorted(by: { $0.key < $1.key }) {
        let sides = [
          Reference(name: "left", target: entity.name, isRequired: true),
          Reference(name: "right", target: target, isRequired: true),
        ]
        all.entities.append(
          Entity(
            name: SimulatedSchema.join(entity.name, name), references: sides, unique: [["left", "right"]], isJoin: true)
        )
      }
    }
    return all
  }

  static func join(_ entity: String, _ relationship: String) -> String { "~\(entity).\(relationship)" }

  /// As a scenario file has it.
  var document: JSONValue {
    .object(Dictionary(uniqueKeysWithValues: entities.filter { !$0.isJoin }.map { ($0.name, $0.document) }))
  }
}

extension SimulatedSchema.Entity {
  fileprivate var document: JSONValue {
    var members: [String: JSONValue] = [:]
    members["attributes"] = .object(
      Dictionary(uniqueKeysWithValues: attributes.map { ($0.name, .string($0.type + ($0.isOptional ? "?" : ""))) }))
    if !unique.isEmpty { members["unique"] = .array(unique.map { .array($0.map(JSONValue.string)) }) }
    if !groups.isEmpty { members["groups"] = .array(groups.map { .array($0.map(JSONValue.string)) }) }
    if deleteIsFinal { members["deleteIsFinal"] = .bool(true) }
    var relationships: [String: JSONValue] = [:]
    for reference in references { relationships[reference.name] = reference.document(of: name) }
    for (link, target) in links {
      relationships[link] = .object([
        "to": .string(target), "many": .bool(true), "inverse": .string("\(name.lowercased())s"),
      ])
    }
    if !relationships.isEmpty { members["relationships"] = .object(relationships) }
    return .object(members)
  }
}

extension SimulatedSchema.Reference {
  fileprivate func document(of owner: String) -> JSONValue {
    var members: [String: JSONValue] = ["to": .string(target), "deleteRule": .string(rule)]
    members["inverse"] = .string("\(name)Of\(owner)")
    if isRequired { members["optional"] = .bool(false) }
    if isExclusive { members["one"] = .bool(true) }
    return .object(members)
  }
}
