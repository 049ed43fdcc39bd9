import SwiftSyntax
import SwiftSyntaxMacros

/// `#Unique`: adds nothing itself; `@Model` reads it.
enum UniqueMacro: DeclarationMacro {
  static func expansion(
    of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
  ) -> [DeclSyntax] {
    context.diagnose(markerDeclaration: node)
    return []
  }
}
