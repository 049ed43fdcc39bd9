import SwiftSyntax
import SwiftSyntaxMacros

/// `@Attribute`, `@Relationship`, `@Transient`: add nothing themselves; `@Model` reads them.
protocol MarkerAttributeExpansion: PeerMacro {}

extension MarkerAttributeExpansion {
  static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) -> [DeclSyntax] {
    context.diagnose(markerAttribute: node, on: declaration)
    return []
  }
}

enum AttributeMacro: MarkerAttributeExpansion {}
enum RelationshipMacro: MarkerAttributeExpansion {}
enum TransientMacro: MarkerAttributeExpansion {}
