import Foundation
import RecordStore

/// The Swift source of models that open the store.
///
/// The catalogue does not know the types of `Codable` values: they stand as their JSON. Of a hierarchy it knows which
/// class declares a property, and not what lies between that class and the root.
struct ModelSource {
  private let outline: SchemaOutline
  private let classes: [String: SchemaOutline.Class]

  init(_ outline: SchemaOutline) throws(CommandFailure) {
    self.outline = outline
    classes = Dictionary(outline.classes.map { ($0.name, $0) }) { first, _ in first }
    for type in outline.classes {
      let names = [type.name] + type.attributes.map(\.name) + type.relationships.map(\.name)
      for name in names where !SwiftName.isIdentifier(name) {
        throw CommandFailure(
          "'\(DisplayText.visible(name))' of '\(type.name)' is no name in Swift, so there is no source of its model; "
            + "'tandem schema' without --swift shows the schema")
      }
    }
  }

  var lines: [String] {
    let hasCodables = outline.classes.contains { $0.attributes.contains { $0.type == .composite } }
    return ["import Foundation", "import Tandem"] + outline.classes.flatMap { [""] + lines(of: $0) } + [""]
      + versionLines + (hasCodables ? [""] + ModelSource.valueLines : [])
  }

  private var versionLines: [String] {
    let version = [outline.version.major, outline.version.minor, outline.version.patch].map(String.init)
    let models = outline.classes.map { "\($0.name).self" }
    return [
      "/// The store's schema: `ModelContainer(for: Schema(versionedSchema: StoreModels.self))`.",
      "enum StoreModels: VersionedSchema {",
      "  static var versionIdentifier: Schema.Version { Schema.Version(\(version.joined(separator: ", "))) }",
      "  static var models: [any PersistentModel.Type] {",
    ] + ModelSource.list("    [", models, "]") + ["  }", "}"]
  }

  /// One line where it fits, else the elements in lines of their own, as many as fit into each.
  private static func list(_ head: String, _ elements: [String], _ tail: String) -> [String] {
    let line = head + elements.joined(separator: ", ") + tail
    guard line.count > columns else { return [line] }
    let indent = String(repeating: " ", count: head.prefix { $0 == " " }.count)
    var lines: [String] = []
    for (index, element) in elements.enumerated() {
      let piece = element + (index == elements.count - 1 ? "" : ",")
      if let last = lines.last, last.count + 1 + piece.count <= columns {
        lines[lines.count - 1] = "\(last) \(piece)"
      } else {
        lines.append("\(indent)  \(piece)")
      }
    }
    return [head] + lines + [indent + tail]
  }

  private static let columns = 120

  private func lines(of type: SchemaOutline.Class) -> [String] {
    let isOpen = outline.classes.contains { $0.superclass == type.name }
    let superclass = type.superclass.map { ": \($0)" } ?? ""
    let members = type.attributes.flatMap { lines(of: $0) } + type.relationships.flatMap { lines(of: $0, in: type) }
    let rules = keyPaths("#Unique", type.uniques, type) + keyPaths("#Index", type.indexes, type) + groups(type)
    return ["@Model \(isOpen ? "" : "final ")class \(type.name)\(superclass) {"] + rules
      + (rules.isEmpty ? [] : [""]) + members + [""] + initialiser(type) + ["}"]
  }

  private func keyPaths(_ macro: String, _ lists: [[String]], _ type: SchemaOutline.Class) -> [String] {
    guard !lists.isEmpty else { return [] }
    let elements = lists.map { "[" + $0.map { "\\.\(SwiftName.escaped($0))" }.joined(separator: ", ") + "]" }
    return ModelSource.list("  \(macro)<\(type.name)>(", elements, ")")
  }

  private func groups(_ type: SchemaOutline.Class) -> [String] {
    type.groups.map { names in
      "  #Group<\(type.name)>(" + names.map { "\\.\(SwiftName.escaped($0))" }.joined(separator: ", ") + ")"
    }
  }
}

// Properties.
extension ModelSource {
  private func lines(of attribute: SchemaOutline.Attribute) -> [String] {
    var options: [String] = []
    if attribute.isUnique { options.append(".unique") }
    if attribute.isStoredExternally { options.append(".externalStorage") }
    if attribute.preservesValueOnDeletion { options.append(".preserveValueOnDeletion") }
    let macro = options.isEmpty ? "" : "@Attribute(\(options.joined(separator: ", "))) "
    let type = SwiftName.type(of: attribute.type) + (attribute.isOptional ? "?" : "")
    let value = attribute.defaultValue.flatMap { SwiftName.literal($0) }.map { " = \($0)" } ?? ""
    return ["  \(macro)var \(SwiftName.escaped(attribute.name)): \(type)\(value)"]
  }

  private func lines(of relationship: SchemaOutline.Relationship, in type: SchemaOutline.Class) -> [String] {
    var arguments: [String] = []
    if relationship.isOrdered { arguments.append(".ordered") }
    if relationship.isUnique { arguments.append(".unique") }
    if relationship.deleteRule != .nullify { arguments.append("deleteRule: .\(relationship.deleteRule.rawValue)") }
    if relationship.minimumCount > 0 { arguments.append("minimumModelCount: \(relationship.minimumCount)") }
    if relationship.maximumCount > 0 { arguments.append("maximumModelCount: \(relationship.maximumCount)") }
    if let inverse = relationship.inverse, saysInverse(relationship, in: type) {
      arguments.append("inverse: \\\(relationship.destination).\(SwiftName.escaped(inverse))")
    }
    let macro = arguments.isEmpty ? "" : "@Relationship(\(arguments.joined(separator: ", "))) "
    let kind =
      relationship.isToMany
      ? "[\(relationship.destination)] = []" : relationship.destination + (relationship.isOptional ? "?" : "")
    return ["  \(macro)var \(SwiftName.escaped(relationship.name)): \(kind)"]
  }

  /// One side of the two says it: the one that leads to many, else the first by name.
  private func saysInverse(_ relationship: SchemaOutline.Relationship, in type: SchemaOutline.Class) -> Bool {
    let other = classes[relationship.destination]?.relationships.first { $0.name == relationship.inverse }
    guard let other, other.isToMany != relationship.isToMany else {
      return (type.name, relationship.name) <= (relationship.destination, relationship.inverse ?? "")
    }
    return relationship.isToMany
  }

  /// Takes what has no default: a person adds what else is wanted.
  private func initialiser(_ type: SchemaOutline.Class) -> [String] {
    let inherited = type.superclass.flatMap { classes[$0] }.map { parameters(of: $0) } ?? []
    let own = parameters(of: type)
    let list = (inherited + own).map { "\(SwiftName.escaped($0.name)): \($0.type)" }
    let head = ModelSource.list("  init(", list, ") {")
    let assignments = own.map { "    self.\(SwiftName.escaped($0.name)) = \(SwiftName.escaped($0.name))" }
    guard type.superclass != nil else {
      return assignments.isEmpty ? ["  init() {}"] : head + assignments + ["  }"]
    }
    let call = inherited.map { "\(SwiftName.escaped($0.name)): \(SwiftName.escaped($0.name))" }
    let over = own.isEmpty ? "override " : ""
    return ["  \(over)\(head[0].drop { $0 == " " })"] + head.dropFirst() + assignments
      + ["    super.init(\(call.joined(separator: ", ")))", "  }"]
  }

  private func parameters(of type: SchemaOutline.Class) -> [(name: String, type: String)] {
    type.attributes.filter { !$0.isOptional && $0.defaultValue.flatMap { SwiftName.literal($0) } == nil }.map {
      ($0.name, SwiftName.type(of: $0.type))
    } + type.relationships.filter { !$0.isToMany && !$0.isOptional }.map { ($0.name, $0.destination) }
  }

  private static let valueLines = [
    "/// A `Codable` value by its JSON: the store does not know its type. Put the type of your app in its place.",
    "enum JSONValue: Codable, Hashable, Sendable {",
    "  case null",
    "  case bool(Bool)",
    "  case number(Double)",
    "  case string(String)",
    "  case array([JSONValue])",
    "  case object([String: JSONValue])",
    "",
    "  init(from decoder: any Decoder) throws {",
    "    let container = try decoder.singleValueContainer()",
    "    if container.decodeNil() {",
    "      self = .null",
    "    } else if let value = try? container.decode(Bool.self) {",
    "      self = .bool(value)",
    "    } else if let value = try? container.decode(Double.self) {",
    "      self = .number(value)",
    "    } else if let value = try? container.decode(String.self) {",
    "      self = .string(value)",
    "    } else if let value = try? container.decode([JSONValue].self) {",
    "      self = .array(value)",
    "    } else {",
    "      self = .object(try container.decode([String: JSONValue].self))",
    "    }",
    "  }",
    "",
    "  func encode(to encoder: any Encoder) throws {",
    "    var container = encoder.singleValueContainer()",
    "    switch self {",
    "    case .null: try container.encodeNil()",
    "    case .bool(let value): try container.encode(value)",
    "    case .number(let value): try container.encode(value)",
    "    case .string(let value): try container.encode(value)",
    "    case .array(let value): try container.encode(value)",
    "    case .object(let value): try container.encode(value)",
    "    }",
    "  }",
    "}",
  ]
}
