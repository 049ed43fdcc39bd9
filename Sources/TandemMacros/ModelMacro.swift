import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@Model`: reads the class into a ``ModelDeclaration``, reports what is wrong with it, and prints the rest.
enum ModelMacro {
  /// The class, if the attribute stands on one that can be a model.
  private static func model(_ declaration: some DeclGroupSyntax) -> ModelDeclaration? {
    guard let declaration = declaration.as(ClassDeclSyntax.self), declaration.genericParameterClause == nil else {
      return nil
    }
    return ModelDeclaration(declaration)
  }
}

extension ModelMacro: MemberMacro {
  static func expansion(
    of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
  ) -> [DeclSyntax] {
    if let problem = ModelDeclaration.inheritance(of: declaration, missing: protocols) {
      context.diagnose(problem)
      return []
    }
    for problem in ModelDeclaration.problems(of: declaration, attribute: node) { context.diagnose(problem) }
    return model(declaration)?.members ?? []
  }
}

extension ModelMacro: MemberAttributeMacro {
  static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingAttributesFor member: some DeclSyntaxProtocol, in context: some MacroExpansionContext
  ) -> [AttributeSyntax] {
    guard let property = member.as(VariableDeclSyntax.self)?.persistedProperty,
      let number = model(declaration)?.properties.firstIndex(where: { $0.name == property.name })
    else { return [] }
    // Two macros, because the compiler drops the default from the initialisers only when the getter
    // arrives without an `init` accessor beside it; see `PersistedInitializerMacro`.
    return ["@_PersistedProperty(\(raw: number))", "@_PersistedInitializer(\(raw: number))"]
  }
}

extension ModelMacro: ExtensionMacro {
  static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    // No protocols: the class, or the one it inherits from, says so itself.
    guard model(declaration) != nil, !protocols.isEmpty else { return [] }
    return [try ExtensionDeclSyntax("extension \(type.trimmed): Tandem.PersistentModel {}")]
  }
}
