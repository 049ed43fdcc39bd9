import SwiftSyntax
import SwiftSyntaxMacros

/// `@_PersistedProperty(n)`, of a property without a default: the accessors, and the empty stored property by which the
/// compiler sees that an initialiser forgot a value.
enum PersistedPropertyMacro: AccessorMacro, PeerMacro {
  static var formatMode: FormatMode { .disabled }

  static func expansion(
    of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) -> [AccessorDeclSyntax] {
    guard let accessors = PersistedAccessors(of: declaration, node) else { return [] }
    return [AccessorDeclSyntax(text: accessors.getterAndSetter + "\n" + accessors.initializer)]
  }

  static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) -> [DeclSyntax] {
    guard let property = declaration.as(VariableDeclSyntax.self)?.persistedProperty else { return [] }
    return [DeclSyntax(text: "private var \(property.marker): Tandem::_NoStorage")]
  }
}

/// `@_PersistedDefault(n)`, of a property with a default: the getter and setter.
enum PersistedDefaultMacro: AccessorMacro {
  static var formatMode: FormatMode { .disabled }

  static func expansion(
    of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) -> [AccessorDeclSyntax] {
    PersistedAccessors(of: declaration, node).map { [AccessorDeclSyntax(text: $0.getterAndSetter)] } ?? []
  }
}

/// `@_PersistedInitializer(n)`, beside ``PersistedDefaultMacro``: the `init` accessor.
///
/// It stands apart from the getter because the compiler evaluates a property's default in every
/// initialiser, that of fetched objects included, when one macro brings both. When the getter comes
/// first and alone, the property's default counts as taken over by the macro, and `@Model` places it
/// where only new objects meet it.
enum PersistedInitializerMacro: AccessorMacro {
  static var formatMode: FormatMode { .disabled }

  static func expansion(
    of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) -> [AccessorDeclSyntax] {
    PersistedAccessors(of: declaration, node).map { [AccessorDeclSyntax(text: $0.initializer)] } ?? []
  }
}
