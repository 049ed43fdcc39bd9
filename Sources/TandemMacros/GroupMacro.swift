import SwiftSyntax
import SwiftSyntaxMacros

/// `#Group`: adds nothing itself; `@Model` reads it.
enum GroupMacro: DeclarationMacro {
  static func expansion(
    of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
  ) -> [DeclSyntax] {
    context.diagnose(markerDeclaration: node)
    context.diagnose(groupOfOne: node)
    return []
  }
}
