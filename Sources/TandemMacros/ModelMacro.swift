import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@Model`: reads the class into a ``ModelDeclaration``, reports what is wrong with it, and prints the rest.
enum ModelMacro: MemberMacro, MemberAttributeMacro, ExtensionMacro {
  static var formatMode: FormatMode { .disabled }

  /// The class, if the attribute stands on one that can be a model.
  private static func model(
    _ declaration: some DeclGroupSyntax, in context: some MacroExpansionContext
  ) -> ClassDeclSyntax? {
    guard let declaration = declaration.as(ClassDeclSyntax.self), declaration.genericParameterClause == nil,
      !context.isInFunction
    else { return nil }
    return declaration
  }
}

extension ModelMacro {
  static func expansion(
    of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
  ) -> [DeclSyntax] {
    // Only a class that inherits from a model needs neither of the macro's protocols.
    let inherits = protocols.isEmpty && declaration.inheritanceClause != nil
    if context.isInFunction { context.diagnose(Diagnostic(.localModel, at: declaration.introducer)) }
    for problem in ModelDeclaration.problems(of: declaration, attribute: node, inherits: inherits) {
      context.diagnose(problem)
    }
    guard let model = model(declaration, in: context) else { return [] }
    return ModelDeclaration(model).members(inherits: inherits).map { DeclSyntax(text: $0) }
  }
}

extension ModelMacro {
  static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingAttributesFor member: some DeclSyntaxProtocol, in context: some MacroExpansionContext
  ) -> [AttributeSyntax] {
    guard let property = member.as(VariableDeclSyntax.self)?.persistedProperty,
      let model = model(declaration, in: context),
      let number = model.persistedProperties.firstIndex(where: { $0.name == property.name })
    else { return [] }
    let place = model.mayShareValues ? "\(number), in: \"\(model.name.text)\"" : "\(number)"
    guard property.isInitialized else { return [AttributeSyntax(text: "_PersistedProperty(\(place))")] }
    // Two macros, because the compiler drops the default from the initialisers only when the getter
    // arrives without an `init` accessor beside it; see `PersistedInitializerMacro`.
    return [
      AttributeSyntax(text: "_PersistedDefault(\(place))"), AttributeSyntax(text: "_PersistedInitializer(\(place))"),
    ]
  }
}

extension ModelMacro {
  static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    // No protocols: the class inherits them. `PersistentModel` alone may be missing, where the class says it itself.
    guard let model = model(declaration, in: context).map({ ModelDeclaration($0) }), !protocols.isEmpty else {
      return []
    }
    let names = protocols.map { "Tandem::\($0.as(MemberTypeSyntax.self)?.name.text ?? $0.trimmedDescription)" }
    let equality = model.comparesItself ? equality(of: type, access: model.access) : ""
    // Said, because in a module whose declarations belong to the main actor the conformance would, and so the class.
    let head = "nonisolated extension \(type.trimmed): \(names.joined(separator: ", "))"
    return [try ExtensionDeclSyntax("\(raw: head) {\n\(raw: equality)}")]
  }

  /// From within a macro's extension the compiler finds a `==` of the class twice, and calls it ambiguous; this says
  /// that it is the one meant.
  private static func equality(of type: some TypeSyntaxProtocol, access: String) -> String {
    """
      @_implements(Swift::Equatable, ==(_:_:))
      \(access)static func _$isEqual(_ left: \(type.trimmed), _ right: \(type.trimmed)) -> Swift::Bool {
        left == right
      }

    """
  }
}
