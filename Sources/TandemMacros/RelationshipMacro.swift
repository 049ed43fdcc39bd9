import SwiftSyntax
import SwiftSyntaxMacros

/// `@Relationship`: adds nothing itself; `@Model` reads it.
enum RelationshipMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) -> [DeclSyntax] {
    context.diagnose(markerAttribute: node, on: declaration)
    return []
  }
}
