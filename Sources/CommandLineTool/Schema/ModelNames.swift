import Foundation
import RecordStore

/// The names of a schema's models in Swift: of classes, of properties, and of what the source takes from libraries.
///
/// A library's name that the schema has as well stands with its module, as in `Foundation::Date`. A property whose name
/// Swift or `@Model` does not take gets one near it, and keeps its own as `originalName`.
struct ModelNames {
  /// The name of the schema's versions.
  let schema: String
  /// The name of the enumeration around classes with the names of ``protocols``.
  let space: String
  /// The name of the type of `Codable` values.
  let value: String
  /// Other names of classes whose own mean something else in some place: they are those of properties or values, too.
  let aliases: [String: String]
  private let taken: Set<String>
  /// By class and name.
  private let renamed: [String: [String: String]]

  /// Those that source conforms to. There the compiler takes a class of the name, where the file has one, also behind
  /// the name of a module.
  static let protocols: Set<String> = ["PersistentModel", "VersionedSchema", "Codable", "Hashable", "Sendable"]

  init(_ outline: SchemaOutline) throws(CommandFailure) {
    for type in outline.classes where !SwiftName.isClassName(type.name) {
      throw CommandFailure(
        "'\(DisplayText.visible(type.name))' is no name of a class in Swift, so there is no source of its model; "
          + "'tandem schema' without --swift shows the schema")
    }
    let classes = Set(outline.classes.map(\.name))
    schema = ModelNames.free("StoreModels", beside: classes)
    space = ModelNames.free("StoreModelsSpace", beside: classes)
    value = ModelNames.free("JSONValue", beside: classes)
    let properties = outline.classes.reduce(into: Set<String>()) { $0.formUnion($1.propertyNames) }
    taken = classes.union(properties).union([schema, value])
    var renamed: [String: [String: String]] = [:]
    for type in outline.classes {
      let root = outline.classes.first { $0.name == type.superclass }
      renamed[type.name] = ModelNames.renamed(in: type, below: root, renamed[root?.name ?? ""] ?? [:])
    }
    self.renamed = renamed
    let others = SwiftName.values.union(ModelNames.protocols).union(["models", "versionIdentifier"])
    let hidden = classes.intersection(properties.union(others))
    let taken = taken
    aliases = Dictionary(
      uniqueKeysWithValues: hidden.map { ($0, ModelNames.free("\($0)Class", beside: taken)) })
  }

  /// A name that nothing else has.
  static func free(_ name: String, beside taken: Set<String>) -> String {
    guard taken.contains(name) else { return name }
    return (2...).lazy.map { "\(name)\($0)" }.first { !taken.contains($0) } ?? name
  }

  private static func renamed(
    in type: SchemaOutline.Class, below root: SchemaOutline.Class?, _ inherited: [String: String]
  ) -> [String: String] {
    let above = Set((root?.propertyNames ?? []) + inherited.values)
    let markers = Set(type.requiredNames.map { "_\($0)" })
    var taken = above.union(markers).union(type.propertyNames).union([type.name])
    var renamed: [String: String] = [:]
    for name in type.propertyNames {
      let clashes = name == type.name || above.contains(name) || markers.contains(name)
      guard clashes || !SwiftName.isPropertyName(name) else { continue }
      let other = free(SwiftName.near(name), beside: taken)
      taken.insert(other)
      renamed[name] = other
    }
    return renamed
  }

  /// A class as other classes name it.
  func reference(to type: String) -> String { SwiftName.escaped(aliases[type] ?? type) }

  /// A property as the source spells it.
  func property(_ name: String, of type: String) -> String { SwiftName.escaped(renamed[type]?[name] ?? name) }

  /// The name in the store, where it is another than in the source.
  func originalName(_ name: String, of type: SchemaOutline.Class) -> String? {
    guard renamed[type.name]?[name] != nil else { return nil }
    return type.superclass == nil ? name : "\(type.name).\(name)"
  }

  func type(of type: FieldType) -> String {
    switch type {
    case .bool: swift("Bool")
    case .int: swift("Int")
    case .uint: swift("UInt")
    case .double: swift("Double")
    case .decimal: foundation("Decimal")
    case .string: swift("String")
    case .date: foundation("Date")
    case .uuid: foundation("UUID")
    case .data: foundation("Data")
    case .url: foundation("URL")
    case .composite, .reference: value
    }
  }

  func swift(_ name: String) -> String { library(name, "Swift") }
  func foundation(_ name: String) -> String { library(name, "Foundation") }
  func tandem(_ name: String) -> String { library(name, "Tandem") }

  private func library(_ name: String, _ module: String) -> String {
    taken.contains(name) ? "\(module)::\(name)" : name
  }
}

extension SchemaOutline.Class {
  fileprivate var propertyNames: [String] { attributes.map(\.name) + relationships.map(\.name) }

  /// The properties that an initialiser must give a value.
  fileprivate var requiredNames: [String] {
    attributes.filter(\.isRequired).map(\.name)
      + relationships.filter { !$0.isToMany && !$0.isOptional }.map(\.name)
  }
}

extension SchemaOutline.Attribute {
  /// Whether source gives it no value to begin with.
  var isRequired: Bool {
    !isOptional && defaultValue.flatMap { SwiftName.literal($0, named: \.self) } == nil
  }
}
