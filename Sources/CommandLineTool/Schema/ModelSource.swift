import Foundation
import RecordStore

/// The Swift source of models that open the store.
///
/// The catalogue does not know the types of `Codable` values: they stand as their JSON. Of a hierarchy it knows which
/// class declares a property, and not what lies between that class and the root.
struct ModelSource {
  private let outline: SchemaOutline
  private let classes: [String: SchemaOutline.Class]
  private let names: ModelNames

  init(_ outline: SchemaOutline) throws(CommandFailure) {
    self.outline = outline
    classes = Dictionary(outline.classes.map { ($0.name, $0) }) { first, _ in first }
    names = try ModelNames(outline)
  }

  var lines: [String] {
    let hasCodables = outline.classes.contains { $0.attributes.contains { $0.type == .composite } }
    return ["import Foundation", "import Tandem"] + placed(outline.classes.filter { !isNested($0) })
      + nestedLines + [""] + versionLines + (hasCodables ? [""] + JSONValueSource(names: names).lines : [])
  }

  private func placed(_ types: [SchemaOutline.Class]) -> [String] { types.flatMap { [""] + lines(of: $0) } }

  private func isNested(_ type: SchemaOutline.Class) -> Bool { ModelNames.protocols.contains(type.name) }

  private var nestedLines: [String] {
    let nested = placed(outline.classes.filter(isNested)).dropFirst()
    return nested.isEmpty ? [] : ["", "enum \(names.space) {"] + nested.map { $0.isEmpty ? "" : "  " + $0 } + ["}"]
  }

  private var versionLines: [String] {
    let version = [outline.version.major, outline.version.minor, outline.version.patch].map(String.init)
    let models = outline.classes.map { "\(names.reference(to: $0.name)).self" }
    let type = names.tandem("Schema") + ".Version"
    let aliases = names.aliases.sorted { $0.key < $1.key }.map {
      let space = ModelNames.protocols.contains($0.key) ? names.space + "." : ""
      return "typealias \(SwiftName.escaped($0.value)) = \(space)\(SwiftName.escaped($0.key))"
    }
    return aliases + (aliases.isEmpty ? [] : [""]) + [
      "/// The store's schema: `ModelContainer(for: Schema(versionedSchema: \(names.schema).self))`.",
      "enum \(names.schema): \(names.tandem("VersionedSchema")) {",
      "  static var versionIdentifier: \(type) { \(type)(\(version.joined(separator: ", "))) }",
      "  static var models: [any \(names.tandem("PersistentModel")).Type] {",
    ] + ModelSource.list("    [", models, "]") + ["  }", "}"]
  }

  /// One line where it fits, else the elements in lines of their own, as many as fit into each.
  private static func list(_ head: String, _ elements: [String], _ tail: String) -> [String] {
    let line = head + elements.joined(separator: ", ") + tail
    guard line.count > columns else { return [line] }
    let isLiteral = tail == "]"
    let indent = String(repeating: " ", count: head.prefix { $0 == " " }.count)
    var lines: [String] = []
    for (index, element) in elements.enumerated() {
      let piece = element + (index == elements.count - 1 && !isLiteral ? "" : ",")
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
    let superclass = type.superclass.map { ": \(names.reference(to: $0))" } ?? ""
    let members =
      type.attributes.flatMap { lines(of: $0, in: type) } + type.relationships.flatMap { lines(of: $0, in: type) }
    let rules = keyPaths("Unique", type.uniques, type) + keyPaths("Index", type.indexes, type) + groups(type)
    let head = "\(isOpen ? "" : "final ")class \(SwiftName.escaped(type.name))\(superclass)"
    return ["@\(names.tandem("Model")) \(head) {"] + rules
      + (rules.isEmpty ? [] : [""]) + members + [""] + initialiser(type) + ["}"]
  }

  private func keyPaths(_ macro: String, _ lists: [[String]], _ type: SchemaOutline.Class) -> [String] {
    guard !lists.isEmpty else { return [] }
    return ModelSource.list(head(of: macro, type), lists.map { "[\(paths($0, type))]" }, ")")
  }

  private func groups(_ type: SchemaOutline.Class) -> [String] {
    type.groups.map { "\(head(of: "Group", type))\(paths($0, type)))" }
  }

  private func head(of macro: String, _ type: SchemaOutline.Class) -> String {
    "  #\(names.tandem(macro))<\(SwiftName.escaped(type.name))>("
  }

  private func paths(_ properties: [String], _ type: SchemaOutline.Class) -> String {
    properties.map { "\\.\(names.property($0, of: type.name))" }.joined(separator: ", ")
  }
}

// Properties.
extension ModelSource {
  private func lines(of attribute: SchemaOutline.Attribute, in type: SchemaOutline.Class) -> [String] {
    var options: [String] = []
    if attribute.isUnique { options.append(".unique") }
    if attribute.isStoredExternally { options.append(".externalStorage") }
    if attribute.preservesValueOnDeletion { options.append(".preserveValueOnDeletion") }
    options += originalName(attribute.name, in: type)
    let valueType = names.type(of: attribute.type) + (attribute.isOptional ? "?" : "")
    let value = attribute.defaultValue.flatMap { SwiftName.literal($0, named: names.foundation) }.map { " = \($0)" }
    let name = names.property(attribute.name, of: type.name)
    return ["  \(macro("Attribute", options))var \(name): \(valueType)\(value ?? "")"]
  }

  private func lines(of relationship: SchemaOutline.Relationship, in type: SchemaOutline.Class) -> [String] {
    var arguments: [String] = []
    if relationship.isOrdered { arguments.append(".ordered") }
    if relationship.isUnique { arguments.append(".unique") }
    if relationship.deleteRule != .nullify { arguments.append("deleteRule: .\(relationship.deleteRule.rawValue)") }
    if relationship.minimumCount > 0 { arguments.append("minimumModelCount: \(relationship.minimumCount)") }
    if relationship.maximumCount > 0 { arguments.append("maximumModelCount: \(relationship.maximumCount)") }
    arguments += originalName(relationship.name, in: type)
    let destination = names.reference(to: relationship.destination)
    if let inverse = relationship.inverse, saysInverse(relationship, in: type) {
      arguments.append("inverse: \\\(destination).\(names.property(inverse, of: relationship.destination))")
    }
    let kind = relationship.isToMany ? "[\(destination)] = []" : destination + (relationship.isOptional ? "?" : "")
    let name = names.property(relationship.name, of: type.name)
    return ["  \(macro("Relationship", arguments))var \(name): \(kind)"]
  }

  private func macro(_ name: String, _ arguments: [String]) -> String {
    arguments.isEmpty ? "" : "@\(names.tandem(name))(\(arguments.joined(separator: ", "))) "
  }

  private func originalName(_ property: String, in type: SchemaOutline.Class) -> [String] {
    names.originalName(property, of: type).map { ["originalName: \($0.debugDescription)"] } ?? []
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
    let head = ModelSource.list("  init(", (inherited + own).map { "\($0.name): \($0.type)" }, ") {")
    let assignments = own.map { "    self.\($0.name) = \($0.name)" }
    guard type.superclass != nil else {
      return assignments.isEmpty ? ["  init() {}"] : head + assignments + ["  }"]
    }
    let call = inherited.map { "\($0.name): \($0.name)" }
    let over = own.isEmpty ? "override " : ""
    return ["  \(over)\(head[0].drop { $0 == " " })"] + head.dropFirst() + assignments
      + ["    super.init(\(call.joined(separator: ", ")))", "  }"]
  }

  private func parameters(of type: SchemaOutline.Class) -> [(name: String, type: String)] {
    type.attributes.filter(\.isRequired).map {
      (names.property($0.name, of: type.name), names.type(of: $0.type))
    }
      + type.relationships.filter { !$0.isToMany && !$0.isOptional }.map {
        (names.property($0.name, of: type.name), names.reference(to: $0.destination))
      }
  }
}
