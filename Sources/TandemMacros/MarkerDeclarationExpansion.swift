import SwiftSyntax
import SwiftSyntaxMacros

/// `#Unique`, `#Index`: add nothing themselves; `@Model` reads them.
protocol MarkerDeclarationExpansion: DeclarationMacro {}

extension MarkerDeclarationExpansion {
  static func expansion(
    of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
  ) -> [DeclSyntax] {
    context.diagnose(markerDeclaration: node)
    return []
  }
}

enum UniqueMacro: MarkerDeclarationExpansion {}
enum IndexMacro: MarkerDeclarationExpansion {}
