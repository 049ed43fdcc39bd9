import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

extension Diagnostic {
  init(_ mistake: Mistake, at node: some SyntaxProtocol, _ fixIts: FixIt...) {
    self.init(mistake, at: node, fixIts)
  }

  init(_ mistake: Mistake, at node: some SyntaxProtocol, _ fixIts: [FixIt]) {
    self.init(node: Syntax(node), message: mistake, fixIts: fixIts)
  }
}

extension FixIt {
  init(_ words: String, replace old: some SyntaxProtocol, with new: some SyntaxProtocol) {
    self.init(message: Remedy(words), changes: [.replace(oldNode: Syntax(old), newNode: Syntax(new))])
  }

  static func remove<Declaration: WithAttributesSyntax>(
    _ attribute: AttributeSyntax, from declaration: Declaration
  ) -> FixIt {
    var changed = declaration
    // By name, because the compiler hands attribute and declaration over as trees of their own.
    changed.attributes = declaration.attributes.filter {
      $0.as(AttributeSyntax.self)?.baseName != attribute.baseName
    }
    changed.leadingTrivia = declaration.leadingTrivia
    return FixIt("remove '@\(attribute.baseName)'", replace: declaration, with: changed)
  }

  /// The removal, where the declaration can have attributes at all.
  static func removals(of attribute: AttributeSyntax, from declaration: some SyntaxProtocol) -> [FixIt] {
    declaration.asProtocol((any WithAttributesSyntax).self).map { [FixIt.remove(attribute, from: $0)] } ?? []
  }

  static func addTransient(to variable: VariableDeclSyntax) -> FixIt {
    var changed = variable.with(\.leadingTrivia, [])
    changed.attributes.insert(.attribute("@Transient "), at: changed.attributes.startIndex)
    changed.leadingTrivia = variable.leadingTrivia
    return FixIt("mark it '@Transient'", replace: variable, with: changed)
  }
}

extension MacroExpansionContext {
  /// Whether the source stands in a body, where the compiler extends no types.
  var isInFunction: Bool {
    lexicalContext.contains {
      $0.is(FunctionDeclSyntax.self) || $0.is(InitializerDeclSyntax.self) || $0.is(DeinitializerDeclSyntax.self)
        || $0.is(AccessorDeclSyntax.self) || $0.is(ClosureExprSyntax.self)
    }
  }

  private var isInModel: Bool {
    guard let type = lexicalContext.first else { return false }
    // Structs and the like are reported by `@Model` itself.
    guard let group = type.asProtocol((any DeclGroupSyntax).self) else { return false }
    return group.attributes.contains { $0.as(AttributeSyntax.self)?.baseName == "Model" }
  }

  /// Reports `@Attribute`, `@Relationship` and `@Transient` where they mean nothing.
  func diagnose(markerAttribute node: AttributeSyntax, on declaration: some DeclSyntaxProtocol) {
    let name = node.baseName
    guard let variable = declaration.as(VariableDeclSyntax.self) else {
      return diagnose(Diagnostic(.attributeOnUnstored(name), at: node, FixIt.removals(of: node, from: declaration)))
    }
    let removal = FixIt.remove(node, from: variable)
    if !isInModel {
      diagnose(Diagnostic(.attributeOutsideModel(name), at: node, removal))
    } else if !variable.isStoredInInstance, name != "Transient" {
      diagnose(Diagnostic(.attributeOnUnstored(name), at: node, removal))
    }
  }

  /// Reports `#Unique` and `#Index` outside of models.
  func diagnose(markerDeclaration node: some FreestandingMacroExpansionSyntax) {
    guard !isInModel else { return }
    diagnose(Diagnostic(.macroOutsideModel(node.macroName.text), at: node))
  }

  /// Reports a `#Group` that binds nothing.
  func diagnose(groupOfOne node: some FreestandingMacroExpansionSyntax) {
    guard isInModel, node.arguments.count < 2 else { return }
    diagnose(Diagnostic(.groupOfOne, at: node))
  }
}

extension Diagnostic {
  static func modelActor(on declaration: some DeclGroupSyntax, attribute: AttributeSyntax) -> Diagnostic {
    guard let model = declaration.as(ClassDeclSyntax.self) else {
      return Diagnostic(.notAnActor, at: declaration.introducer, FixIt.removals(of: attribute, from: declaration))
    }
    var changed = model
    changed.modifiers = model.modifiers.filter { $0.name.text != "final" }
    let keyword = model.classKeyword
    changed.classKeyword = .keyword(
      .actor, leadingTrivia: changed.modifiers.isEmpty ? [] : keyword.leadingTrivia,
      trailingTrivia: keyword.trailingTrivia)
    return Diagnostic(.notAnActor, at: keyword, FixIt("make it an actor", replace: model, with: changed))
  }
}
