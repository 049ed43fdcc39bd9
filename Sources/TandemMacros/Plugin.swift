import MacroExpansions
import SwiftCompilerPlugin
import SwiftSyntaxMacros

// The compiler looks a macro up by the name of its type in the module of the plugin. How each is expanded stands in
// `MacroExpansions`, apart from the plugin: tests that depended on the plugin itself would have all of the package
// built a second time, for the compiler's side.

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

enum ModelMacro: ModelExpansion {}
enum PersistedPropertyMacro: PersistedPropertyExpansion {}
enum PersistedDefaultMacro: PersistedDefaultExpansion {}
enum PersistedInitializerMacro: PersistedInitializerExpansion {}
enum AttributeMacro: MarkerAttributeExpansion {}
enum RelationshipMacro: MarkerAttributeExpansion {}
enum TransientMacro: MarkerAttributeExpansion {}
enum UniqueMacro: MarkerDeclarationExpansion {}
enum IndexMacro: MarkerDeclarationExpansion {}
enum GroupMacro: GroupExpansion {}
enum ModelActorMacro: ModelActorExpansion {}
enum PredicateMacro: PredicateExpansion {}
