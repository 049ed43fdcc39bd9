import SwiftSyntax
import SwiftSyntaxMacros

/// `@Attribute`: adds nothing itself; `@Model` reads it.
enum AttributeMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) -> [DeclSyntax] {
    context.diagnose(markerAttribute: node, on: declaration)
    return []
  }
}
