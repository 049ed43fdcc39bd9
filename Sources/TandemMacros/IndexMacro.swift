import SwiftSyntax
import SwiftSyntaxMacros

/// `#Index`: adds nothing itself; `@Model` reads it.
enum IndexMacro: DeclarationMacro {
  static func expansion(
    of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
  ) -> [DeclSyntax] {
    context.diagnose(markerDeclaration: node)
    return []
  }
}
