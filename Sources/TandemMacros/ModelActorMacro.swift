import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@ModelActor`: an executor that owns the actor's context, and the initialiser that makes it.
enum ModelActorMacro: MemberMacro, ExtensionMacro {
  static func expansion(
    of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
  ) -> [DeclSyntax] {
    guard let declaration = declaration.as(ActorDeclSyntax.self) else {
      context.diagnose(.modelActor(on: declaration, attribute: node))
      return []
    }
    let access = declaration.modifiers.contains { $0.name.text == "public" } ? "public " : ""
    return [
      "\(raw: access)nonisolated let modelExecutor: any Tandem::ModelExecutor",
      "\(raw: access)nonisolated let modelContainer: Tandem::ModelContainer",
      """
      \(raw: access)init(modelContainer: Tandem::ModelContainer) {
        let modelContext = Tandem::ModelContext(modelContainer)
        self.modelExecutor = Tandem::DefaultSerialModelExecutor(modelContext: modelContext)
        self.modelContainer = modelContainer
      }
      """,
    ]
  }

  static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    guard declaration.is(ActorDeclSyntax.self), !protocols.isEmpty else { return [] }
    return [try ExtensionDeclSyntax("extension \(type.trimmed): Tandem::ModelActor {}")]
  }
}
