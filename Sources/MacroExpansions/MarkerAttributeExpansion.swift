package import SwiftSyntax
package import SwiftSyntaxMacros

/// `@Attribute`, `@Relationship`, `@Transient`: add nothing themselves; `@Model` reads them.
package protocol MarkerAttributeExpansion: PeerMacro {}

extension MarkerAttributeExpansion {
  package static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) -> [DeclSyntax] {
    context.diagnose(markerAttribute: node, on: declaration)
    return []
  }
}
