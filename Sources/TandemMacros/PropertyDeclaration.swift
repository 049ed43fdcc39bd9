import SwiftSyntax

/// One `var` of a model class that is stored, as read from the source.
struct PropertyDeclaration {
  enum Kind {
    /// Without an attribute of ours: whether it is a relationship is known from its type, when the schema is built.
    case plain
    case attribute(arguments: String)
    case relationship(arguments: String)
  }

  /// As written: with backticks where the name is a keyword.
  let identifier: TokenSyntax
  /// The annotation; nil where the compiler infers the type from the default.
  let type: TypeSyntax?
  let defaultValue: ExprSyntax?
  let kind: Kind
  /// Whether the store's form is another than that of the type.
  var isCoded = false

  /// The ending of the storage's functions for the property.
  var accessSuffix: String { isCoded ? "Coded" : "" }

  /// The name without backticks.
  var name: String { identifier.identifier?.name ?? identifier.text }

  /// The empty stored property by which the compiler sees that an initialiser forgot a value. It stands in backticks
  /// unless every letter is one of a plain name: with a mark before it, a keyword is none.
  var marker: String {
    name.allSatisfy { $0 == "_" || $0.isLetter || $0.isNumber } ? "_\(name)" : "`_\(name)`"
  }

  /// Whether an initialiser of the class may leave the property out: it has a default, or is an optional `var`.
  var isInitialized: Bool { defaultValue != nil || type?.isOptionalSugar == true }

  /// The default with the type that the property gives it, so that `.now` and `[]` stand alone.
  var typedDefault: String? {
    guard let defaultValue else { return nil }
    guard let type else { return defaultValue.trimmedDescription }
    let unwrapped = type.as(ImplicitlyUnwrappedOptionalTypeSyntax.self).map { "\($0.wrappedType.trimmed)?" }
    return "\(defaultValue.trimmedDescription) as \(unwrapped ?? type.trimmedDescription)"
  }
}

extension TypeSyntax {
  /// The `Type` of `Type?`, `Type!` and `Optional<Type>`.
  var wrappedByOptional: TypeSyntax? {
    if let name = self.as(IdentifierTypeSyntax.self), name.name.text == "Optional" {
      return name.genericArgumentClause?.arguments.first?.argument.as(TypeSyntax.self)
    }
    return self.as(OptionalTypeSyntax.self)?.wrappedType
      ?? self.as(ImplicitlyUnwrappedOptionalTypeSyntax.self)?.wrappedType
  }

  /// Whether the type, as it is written, is a single name, optional or not: no array of any form.
  var isToOneSugar: Bool {
    let wrapped = wrappedByOptional ?? self
    guard let name = wrapped.as(IdentifierTypeSyntax.self) else { return wrapped.is(MemberTypeSyntax.self) }
    return name.genericArgumentClause == nil
  }

  /// Whether a `var` of this type starts as nil without saying so.
  var isOptionalSugar: Bool {
    if self.is(OptionalTypeSyntax.self) || self.is(ImplicitlyUnwrappedOptionalTypeSyntax.self) { return true }
    return self.as(IdentifierTypeSyntax.self)?.name.text == "Optional"
  }
}
