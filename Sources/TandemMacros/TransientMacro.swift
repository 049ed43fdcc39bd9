import SwiftSyntax
import SwiftSyntaxMacros

/// `@Transient`: adds nothing itself; `@Model` leaves the property alone because of it.
enum TransientMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) -> [DeclSyntax] {
    context.diagnose(markerAttribute: node, on: declaration)
    return []
  }
}
