import SwiftSyntax
import SwiftSyntaxBuilder

extension ModelDeclaration {
  /// The members that `@Model` adds.
  var members: [DeclSyntax] {
    [storage, initialStorage, initializer, backingData, schemaMetadata]
      + [uniqueness, indices, fieldGroups].compactMap { $0 }
  }

  private var storage: DeclSyntax {
    let modifiers = "\(access)\(isFinal ? "" : "final ")private(set)"
    return "\(raw: modifiers) var _$storage: Tandem.ModelStorage = \(raw: name)._$initialStorage()"
  }

  /// Defaults are evaluated here, at the start of an initialiser, and not at all for a fetched object.
  private var initialStorage: DeclSyntax {
    let defaults = properties.enumerated().compactMap(Self.assignment)
    guard !defaults.isEmpty else {
      return """
        private static func _$initialStorage() -> Tandem.ModelStorage {
          Tandem.ModelStorage.initial(for: \(raw: name).self)
        }
        """
    }
    return """
      private static func _$initialStorage() -> Tandem.ModelStorage {
        Tandem.ModelStorage.initial(for: \(raw: name).self) { storage in
          \(raw: defaults.joined(separator: "\n    "))
        }
      }
      """
  }

  private static func assignment(number: Int, property: PropertyDeclaration) -> String? {
    guard let value = property.typedDefault else { return nil }
    let function = "storage.initialize\(property.accessSuffix)"
    if property.type != nil { return "\(function)(\(number), to: \(value))" }
    // A constant of its own infers the same type as the property did.
    return "let _default\(number) = \(value)\n    \(function)(\(number), to: _default\(number))"
  }

  private var initializer: DeclSyntax {
    let markers = properties.filter { !$0.isInitialized }.map { "_\($0.name) = Tandem._NoStorage()" }
    let lines = markers + ["_$storage = Tandem.ModelStorage.adopting(backingData)"]
    return """
      \(raw: access)required init(backingData: any Tandem.BackingData<\(raw: name)>) {
        \(raw: lines.joined(separator: "\n  "))
      }
      """
  }

  private var backingData: DeclSyntax {
    """
    \(raw: access)var persistentBackingData: any Tandem.BackingData<\(raw: name)> {
      get {
        _$storage.backingData(of: self)
      }
      set {
        _$storage = Tandem.ModelStorage.adopting(newValue)
      }
    }
    """
  }

  private var schemaMetadata: DeclSyntax {
    let entries = properties.map { "\n    \(metadata(of: $0))" }.joined(separator: ",")
    return """
      \(raw: access)static var schemaMetadata: [Tandem.Schema.PropertyMetadata] {
        [\(raw: entries)\(raw: entries.isEmpty ? "" : "\n  ")]
      }
      """
  }

  private func metadata(of property: PropertyDeclaration) -> String {
    var arguments = ["name: \"\(property.name)\"", "keypath: \\\(name).\(property.identifier.text)"]
    if let value = property.typedDefault { arguments.append("defaultValue: \(value)") }
    let options: String? =
      switch property.kind {
      case .plain: nil
      case .attribute(let written): "metadata: Tandem.Schema.Attribute(\(written))"
      case .relationship(let written): "metadata: Tandem.Schema.Relationship(\(written))"
      }
    let head = "Tandem.Schema.PropertyMetadata(\(arguments.joined(separator: ", "))"
    return options.map { "\(head),\n      \($0))" } ?? "\(head))"
  }

  // Type-erased, because `Self` in a requirement would exclude classes that are not final.
  private var uniqueness: DeclSyntax? {
    guard !uniquenessConstraints.isEmpty else { return nil }
    return """
      \(raw: access)static var _$uniqueness: [[AnyKeyPath]] {
        Tandem.Schema.Unique<\(raw: name)>(\(raw: uniquenessConstraints.joined(separator: ", "))).constraints
      }
      """
  }

  private var indices: DeclSyntax? {
    guard !indexes.isEmpty else { return nil }
    return """
      \(raw: access)static var _$index: [[AnyKeyPath]] {
        Tandem.Schema.Index<\(raw: name)>(\(raw: indexes.joined(separator: ", "))).keyPaths
      }
      """
  }

  private var fieldGroups: DeclSyntax? {
    guard !groups.isEmpty else { return nil }
    let each = groups.map { "Tandem.Schema.Group<\(name)>(\($0)).properties" }
    return """
      \(raw: access)static var _$groups: [[AnyKeyPath]] {
        [\(raw: each.joined(separator: ", "))]
      }
      """
  }
}
