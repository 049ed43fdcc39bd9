import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@_PersistedProperty(n)`: the getter and setter that go to the model's storage, and the empty
/// stored property by which the compiler sees that an initialiser forgot a value.
///
/// The marker of a property that has a default is of type `Void`, which counts as initialised from the start.
enum PersistedPropertyMacro: AccessorMacro, PeerMacro {
  static func expansion(
    of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) -> [AccessorDeclSyntax] {
    guard let property = declaration.as(VariableDeclSyntax.self)?.persistedProperty else { return [] }
    let number = node.propertyNumber
    let path = "\\.\(property.identifier.text)"
    return [
      """
      get {
        let storage = _$storage
        storage.access(self, \(raw: path))
        return storage.get\(raw: property.accessSuffix)(\(raw: number))
      }
      """,
      """
      set {
        _$storage.set\(raw: property.accessSuffix)(\(raw: number), to: newValue, of: self, \(raw: path))
      }
      """,
    ]
  }

  static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) -> [DeclSyntax] {
    guard let property = declaration.as(VariableDeclSyntax.self)?.persistedProperty else { return [] }
    let type = property.isInitialized ? "Void" : "Tandem._NoStorage"
    return ["private var _\(raw: property.name): \(raw: type)"]
  }
}

extension AttributeSyntax {
  /// Of `number` or `number, in: "Class"`: how the storage is asked for the property.
  var propertyNumber: String {
    guard case .argumentList(let arguments) = arguments, let number = arguments.first?.expression.trimmedDescription
    else { return "" }
    return owner.map { "\($0)._$start + \(number)" } ?? number
  }

  /// The property's class, where it may share its objects' values with other classes.
  var owner: String? {
    guard case .argumentList(let arguments) = arguments, arguments.count > 1 else { return nil }
    return arguments.last?.expression.as(StringLiteralExprSyntax.self)?.segments.trimmedDescription
  }
}
