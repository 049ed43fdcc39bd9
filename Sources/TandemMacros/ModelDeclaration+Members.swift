import SwiftSyntax

extension ModelDeclaration {
  /// The members that `@Model` adds.
  ///
  /// - Parameter inherits: Whether the superclass is a model.
  func members(inherits: Bool) -> [String] { marker + members(ofSubclass: inherits) }

  private func members(ofSubclass inherits: Bool) -> [String] {
    if inherits { return inheritingMembers }
    if mayShareValues { return rootMembers }
    return [storage, initialStorage, initializer(of: "_$storage"), backingData(in: "_$storage"), schemaMetadata]
      + declarations.compactMap { declaration in
        declaration.value.map { accessor("\(access)static var \(declaration.name): [[Swift::AnyKeyPath]]", $0) }
      }
  }

  /// The property that `init` accessors of properties with defaults initialise, as each must name a stored one. A
  /// `Void` counts as initialised from the start, so an initialiser may leave all of these out, and one serves them
  /// all.
  private var marker: [String] {
    properties.contains { $0.isInitialized } ? ["private \(isFinal ? "" : "final ")var _$defaults: ()"] : []
  }

  private var storage: String {
    "\(access)private(set) var _$storage: Tandem::ModelStorage = \(name)._$initialStorage()"
  }

  var initialStorage: String {
    initialValues("Tandem::ModelStorage", by: "Tandem::ModelStorage.initial(for: \(name).self)", from: "")
  }

  /// Defaults are evaluated here, at the start of an initialiser, and not at all for a fetched object.
  ///
  /// - Parameter start: The number that is added to a property's: nothing, or what the superclass has, with a plus.
  func initialValues(_ type: String, by maker: String, from start: String) -> String {
    let defaults = properties.enumerated().compactMap { Self.assignment(number: $0, property: $1, from: start) }
    let head = "private static func _$initialStorage() -> \(type)"
    guard !defaults.isEmpty else { return accessor(head, maker) }
    return """
      \(head) {
        \(maker) { storage in
          \(defaults.joined(separator: "\n    "))
        }
      }
      """
  }

  private static func assignment(number: Int, property: PropertyDeclaration, from start: String) -> String? {
    guard let value = property.typedDefault else { return nil }
    let function = "storage.initialize\(property.accessSuffix)"
    if property.type != nil { return "\(function)(\(start)\(number), to: \(value))" }
    // A constant of its own infers the same type as the property did.
    return "let _default\(number) = \(value)\n    \(function)(\(start)\(number), to: _default\(number))"
  }

  /// Says that the properties without defaults have values, so that the initialiser is whole.
  var markers: [String] { properties.filter { !$0.isInitialized }.map { "\($0.marker) = Tandem::_NoStorage()" } }

  func initializer(of storage: String) -> String {
    // A fetched object has its storage from the start.
    let lines =
      markers + [
        "if !Tandem::ModelStorage.isAdopted(Swift::ObjectIdentifier(\(storage))) {",
        "  \(storage) = Tandem::ModelStorage.adopting(backingData)",
        "}",
      ]
    return """
      \(access)required init(backingData: any Tandem::BackingData<\(name)>) {
        \(lines.joined(separator: "\n  "))
      }
      """
  }

  func backingData(in storage: String) -> String {
    """
    \(access)var persistentBackingData: any Tandem::BackingData<\(name)> {
      get {
        _$storage.backingData(of: self)
      }
      set {
        \(storage) = Tandem::ModelStorage.adopting(newValue)
      }
    }
    """
  }

  var schemaMetadata: String {
    accessor("\(access)static var schemaMetadata: [Tandem::Schema.PropertyMetadata]", metadata(of: name))
  }

  /// The list of what is known of each property, with key paths from a class.
  func metadata(of root: String) -> String {
    let entries = properties.map { "\n    \(metadata(of: $0, root))" }.joined(separator: ",")
    return "[\(entries)\(entries.isEmpty ? "" : "\n  ")]"
  }

  private func metadata(of property: PropertyDeclaration, _ root: String) -> String {
    var arguments = ["name: \(property.name.debugDescription)", "keypath: \\\(root).\(property.identifier.text)"]
    if let value = property.typedDefault { arguments.append("defaultValue: \(value)") }
    let options: String? =
      switch property.kind {
      case .plain: nil
      case .attribute(let written): "metadata: Tandem::Schema.Attribute(\(written))"
      case .relationship(let written): "metadata: Tandem::Schema.Relationship(\(written))"
      }
    let head = "Tandem::Schema.PropertyMetadata(\(arguments.joined(separator: ", "))"
    return options.map { "\(head),\n      \($0))" } ?? "\(head))"
  }

  /// The declarations of `#Unique`, `#Index` and `#Group`, by the member that says it; nil for one that is not there.
  // Type-erased, because `Self` in a requirement would exclude classes that are not final.
  var declarations: [(name: String, value: String?)] {
    [("_$uniqueness", uniqueness), ("_$index", indices), ("_$groups", fieldGroups)]
  }

  private var uniqueness: String? {
    guard !uniquenessConstraints.isEmpty else { return nil }
    return "Tandem::Schema.Unique<\(name)>(\(uniquenessConstraints.joined(separator: ", "))).constraints"
  }

  private var indices: String? {
    indexes.isEmpty ? nil : "Tandem::Schema.Index<\(name)>(\(indexes.joined(separator: ", "))).keyPaths"
  }

  private var fieldGroups: String? {
    guard !groups.isEmpty else { return nil }
    return "[\(groups.map { "Tandem::Schema.Group<\(name)>(\($0)).properties" }.joined(separator: ", "))]"
  }

  /// A member of one expression.
  func accessor(_ head: String, _ value: String) -> String { "\(head) {\n  \(value)\n}" }
}
