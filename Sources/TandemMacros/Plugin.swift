import SwiftCompilerPlugin
import SwiftSyntaxMacros

@main
private enum Program {
  static func main() throws {
    if let question = Question(CommandLine.arguments) { return try question.answer() }
    try TandemPlugin.main()
  }
}

/// The compiler looks a macro up by the name of its type in this module.
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
