package import SwiftSyntax
package import SwiftSyntaxMacros

/// `#Group`: adds nothing itself; `@Model` reads it.
package protocol GroupExpansion: DeclarationMacro {}

extension GroupExpansion {
  package static func expansion(
    of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
  ) -> [DeclSyntax] {
    context.diagnose(markerDeclaration: node)
    context.diagnose(groupOfOne: node)
    return []
  }
}
