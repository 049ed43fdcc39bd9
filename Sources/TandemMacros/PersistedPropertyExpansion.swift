import SwiftSyntax
import SwiftSyntaxMacros

/// `@_PersistedProperty(n)`, of a property without a default: the accessors, and the empty stored property by which the
/// compiler sees that an initialiser forgot a value.
protocol PersistedPropertyExpansion: AccessorMacro, PeerMacro {}

extension PersistedPropertyExpansion {
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
protocol PersistedDefaultExpansion: AccessorMacro {}

extension PersistedDefaultExpansion {
  static var formatMode: FormatMode { .disabled }

  static func expansion(
    of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) -> [AccessorDeclSyntax] {
    PersistedAccessors(of: declaration, node).map { [AccessorDeclSyntax(text: $0.getterAndSetter)] } ?? []
  }
}

/// `@_PersistedInitializer(n)`, beside ``PersistedDefaultExpansion``: the `init` accessor.
///
/// It stands apart from the getter because the compiler evaluates a property's default in every
/// initialiser, that of fetched objects included, when one macro brings both. When the getter comes
/// first and alone, the property's default counts as taken over by the macro, and `@Model` places it
/// where only new objects meet it.
protocol PersistedInitializerExpansion: AccessorMacro {}

extension PersistedInitializerExpansion {
  static var formatMode: FormatMode { .disabled }

  static func expansion(
    of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) -> [AccessorDeclSyntax] {
    PersistedAccessors(of: declaration, node).map { [AccessorDeclSyntax(text: $0.initializer)] } ?? []
  }
}
