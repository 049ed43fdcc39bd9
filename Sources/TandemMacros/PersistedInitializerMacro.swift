import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@_PersistedInitializer(n)`: the `init` accessor, so that a class's own initialisers assign properties
/// before `self` is whole.
///
/// It stands apart from the getter because the compiler evaluates a property's default in every
/// initialiser, that of fetched objects included, when one macro brings both. When the getter comes
/// first and alone, the property's default counts as taken over by the macro, and `@Model` places it
/// where only new objects meet it.
enum PersistedInitializerMacro: AccessorMacro {
  static func expansion(
    of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) -> [AccessorDeclSyntax] {
    guard let property = declaration.as(VariableDeclSyntax.self)?.persistedProperty else { return [] }
    let (values, target) = node.owner == nil ? ("_$storage", "_$storage") : ("_$values", "_$values.target")
    let marker = property.isInitialized ? "()" : "Tandem._NoStorage()"
    return [
      """
      @storageRestrictions(accesses: \(raw: values), initializes: _\(raw: property.name))
      init(initialValue) {
        \(raw: target).initialize\(raw: property.accessSuffix)(\(raw: node.propertyNumber), to: initialValue)
        _\(raw: property.name) = \(raw: marker)
      }
      """
    ]
  }
}
