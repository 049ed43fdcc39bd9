package import SwiftSyntax
package import SwiftSyntaxMacros

/// `#Unique`, `#Index`: add nothing themselves; `@Model` reads them.
package protocol MarkerDeclarationExpansion: DeclarationMacro {}

extension MarkerDeclarationExpansion {
  package static func expansion(
    of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
  ) -> [DeclSyntax] {
    context.diagnose(markerDeclaration: node)
    return []
  }
}
