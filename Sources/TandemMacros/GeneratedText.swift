import SwiftSyntax

// Expansions as text in a node of one token. The compiler parses what it is handed, so a parse here would do the work
// twice, and the formatter's walk over the tree a third time. Both took half the time to compile a model, because the
// packages of an app in development, and swift-syntax with them, are built without optimisation.
//
// Names of ours and Swift's stand with their module (`Tandem::Schema`, `Swift::Int`): an app may have a class or
// a property called `Tandem`, `Schema` or `Int`. With a dot, the compiler would look for them in that instead.

extension DeclSyntax {
  init(text: String) { self.init(MissingDeclSyntax(placeholder: .identifier(text))) }
}

extension AccessorDeclSyntax {
  /// One or more accessors.
  init(text: String) { self.init(accessorSpecifier: .identifier(text)) }
}

extension AttributeSyntax {
  /// Without the `@`.
  init(text: String) { self.init(attributeName: IdentifierTypeSyntax(name: .identifier(text))) }
}
