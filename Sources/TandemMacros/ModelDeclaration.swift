import SwiftSyntax

/// A model class as read from the source: everything that the expansion of `@Model` prints comes from here.
struct ModelDeclaration {
  let name: String
  /// Written before each generated member that a protocol asks for; empty for internal and narrower classes.
  let access: String
  let isFinal: Bool
  /// Whether classes of other modules may inherit from it.
  let isOpen: Bool
  /// Whether the class may share its objects' values with other classes: with one that it inherits from, or with those
  /// that inherit from it. Its accessors are written so that they fit in every place of a hierarchy.
  let mayShareValues: Bool
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
    isFinal = declaration.isFinal
    isOpen = modifiers.contains("open")
    mayShareValues = declaration.mayShareValues
    let members = declaration.memberBlock.members
    properties = declaration.persistedProperties
    comparesItself = members.contains { $0.decl.as(FunctionDeclSyntax.self)?.isEquality(of: declaration) ?? false }
    // A mistake is reported; its expansion would be reported again, in other words.
    let macros = members.filter { KeyPathLists($0, of: declaration)?.isSound ?? true }
      .compactMap { $0.decl.as(MacroExpansionDeclSyntax.self) }
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

extension ClassDeclSyntax {
  fileprivate var isFinal: Bool { modifiers.contains { $0.name.text == "final" } }

  /// Not where it is final and inherits or conforms to nothing; which of both a clause means, the source does not say.
  var mayShareValues: Bool { !isFinal || inheritanceClause != nil }

  var persistedProperties: [PropertyDeclaration] {
    memberBlock.members.compactMap { $0.decl.as(VariableDeclSyntax.self)?.persistedProperty }
  }
}
