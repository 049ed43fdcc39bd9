import SwiftSyntax

/// A model class as read from the source: everything that the expansion of `@Model` prints comes from here.
struct ModelDeclaration {
  let name: String
  /// Written before each generated member that a protocol asks for; empty for internal and narrower classes.
  let access: String
  let isFinal: Bool
  /// Whether classes of other modules may inherit from it.
  let isOpen: Bool
  /// Whether the source says that the class inherits or conforms; which of both, it does not say.
  let hasInheritanceClause: Bool
  /// Whether it has a `==` of its own.
  let comparesItself: Bool
  /// The stored properties; the position is the number by which the storage knows each.
  let properties: [PropertyDeclaration]
  /// The arrays given to `#Unique`, as written.
  let uniquenessConstraints: [String]
  /// The arguments of all uses of `#Index`, each with its kind.
  let indexes: [String]
  /// The arguments of each use of `#Group`, as written.
  let groups: [String]
}

extension ModelDeclaration {
  /// Whether the class may share its objects' values with other classes: with one that it inherits from, or with those
  /// that inherit from it. Its accessors are written so that they fit in every place of a hierarchy.
  var mayShareValues: Bool { !isFinal || hasInheritanceClause }

  init(_ declaration: ClassDeclSyntax) {
    let modifiers = declaration.modifiers.map(\.name.text)
    name = declaration.name.text
    access =
      if modifiers.contains("public") || modifiers.contains("open") {
        "public "
      } else if modifiers.contains("package") {
        "package "
      } else {
        ""
      }
    isFinal = modifiers.contains("final")
    isOpen = modifiers.contains("open")
    hasInheritanceClause = declaration.inheritanceClause != nil
    let members = declaration.memberBlock.members
    properties = members.compactMap { $0.decl.as(VariableDeclSyntax.self)?.persistedProperty }
    comparesItself = members.contains { $0.decl.as(FunctionDeclSyntax.self)?.isEquality(of: declaration) ?? false }
    let macros = members.compactMap { $0.decl.as(MacroExpansionDeclSyntax.self) }
    uniquenessConstraints = macros.filter { $0.macroName.text == "Unique" }
      .flatMap { $0.arguments.map(\.expression.trimmedDescription) }
    indexes = macros.filter { $0.macroName.text == "Index" }.flatMap { $0.arguments.map(\.expression) }
      .map { $0.is(ArrayExprSyntax.self) ? ".binary(\($0.trimmed))" : $0.trimmedDescription }
    groups = macros.filter { $0.macroName.text == "Group" }.map(\.arguments.trimmedDescription)
  }
}

extension FunctionDeclSyntax {
  /// Whether it compares two objects of a class: a `==` with something else is no equality.
  fileprivate func isEquality(of declaration: ClassDeclSyntax) -> Bool {
    let own = [declaration.name.text, "Self"]
    return name.text == "=="
      && signature.parameterClause.parameters.allSatisfy { parameter in
        let type = parameter.type.as(MemberTypeSyntax.self)?.name ?? parameter.type.as(IdentifierTypeSyntax.self)?.name
        return type.map { own.contains($0.text) } ?? false
      }
  }
}
