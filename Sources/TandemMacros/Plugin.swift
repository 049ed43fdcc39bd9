import SwiftCompilerPlugin
import SwiftSyntaxMacros

@main
struct TandemPlugin: CompilerPlugin {
  let providingMacros: [any Macro.Type] = [
    ModelMacro.self,
    PersistedPropertyMacro.self,
    PersistedDefaultMacro.self,
    PersistedInitializerMacro.self,
    AttributeMacro.self,
    RelationshipMacro.self,
    TransientMacro.self,
    UniqueMacro.self,
    IndexMacro.self,
    GroupMacro.self,
    ModelActorMacro.self,
    PredicateMacro.self,
  ]
}
