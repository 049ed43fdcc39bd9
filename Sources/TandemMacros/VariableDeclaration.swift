import SwiftSyntax

extension VariableDeclSyntax {
  /// The property that this declaration makes the store keep; nil for computed, static and transient
  /// ones, and for those that cannot be kept, which ``ModelDeclaration/problems(of:attribute:)`` reports.
  var persistedProperty: PropertyDeclaration? {
    guard isStoredInInstance, !has("Transient"), wrapperAttribute == nil, !isRefused,
      bindings.count == 1, let binding = bindings.first, !binding.lacksType, isCoded || binding.unstorableType == nil,
      let pattern = binding.pattern.as(IdentifierPatternSyntax.self)
    else { return nil }
    return PropertyDeclaration(
      identifier: pattern.identifier.trimmed, type: binding.typeAnnotation?.type,
      defaultValue: binding.initializer?.value, kind: kind, isCoded: isCoded)
  }

  /// Whether an option says that the store's form is not that of the type.
  var isCoded: Bool {
    attribute("Attribute")?.optionNames.contains { $0 == "codable" || $0 == "transformable" } ?? false
  }

  private var kind: PropertyDeclaration.Kind {
    if let relationship = attribute("Relationship") {
      return relationship.inverseWithoutClass == nil ? .relationship(arguments: relationship.argumentText) : .plain
    }
    if let attribute = attribute("Attribute") { return .attribute(arguments: attribute.argumentText) }
    return .plain
  }

  /// Whether instances have memory for it: neither static nor computed.
  var isStoredInInstance: Bool {
    guard !modifiers.contains(where: { ["static", "class"].contains($0.name.text) }) else { return false }
    return bindings.contains { $0.accessorBlock == nil || !$0.observers.isEmpty }
  }

  /// The modifier that makes the compiler refuse accessors of ours, or says that a superclass has the property.
  var refusedModifier: DeclModifierSyntax? {
    modifiers.first { ["lazy", "weak", "unowned", "override"].contains($0.name.text) }
  }

  private var isRefused: Bool { refusedModifier != nil }

  /// An attribute that is not ours and looks like a property wrapper.
  var wrapperAttribute: AttributeSyntax? {
    attributes.lazy.compactMap { $0.as(AttributeSyntax.self) }.first { attribute in
      let name = attribute.baseName
      return name.first?.isUppercase == true && !Self.knownAttributes.contains(name) && !name.hasSuffix("Actor")
    }
  }

  private static let knownAttributes: Set<String> = ["Attribute", "Relationship", "Transient"]

  func attribute(_ name: String) -> AttributeSyntax? {
    attributes.lazy.compactMap { $0.as(AttributeSyntax.self) }.first { $0.baseName == name }
  }

  func has(_ name: String) -> Bool { attribute(name) != nil }
}

extension PatternBindingSyntax {
  /// Whether there is no annotation, and no default from which the compiler could infer a type.
  var lacksType: Bool {
    guard typeAnnotation == nil, accessorBlock == nil || !observers.isEmpty else { return false }
    guard let value = initializer?.value else { return true }
    if let array = value.as(ArrayExprSyntax.self) { return array.elements.isEmpty }
    if let dictionary = value.as(DictionaryExprSyntax.self) { return dictionary.content.is(TokenSyntax.self) }
    let called = value.as(FunctionCallExprSyntax.self)?.calledExpression ?? value
    return value.is(NilLiteralExprSyntax.self) || called.as(MemberAccessExprSyntax.self).map { $0.base == nil } ?? false
  }

  /// A type of which it is plain to see that no value of it can be kept, and what such types are called.
  var unstorableType: (type: TypeSyntax, kind: String)? {
    guard let type = typeAnnotation?.type else { return nil }
    let plain = type.wrappedByOptional.map(\.withoutParentheses) ?? type.withoutParentheses
    if plain.is(FunctionTypeSyntax.self) { return (type, "a function") }
    if plain.is(TupleTypeSyntax.self) { return (type, "a tuple") }
    if plain.is(SomeOrAnyTypeSyntax.self) || ["Any", "AnyObject"].contains(plain.trimmedDescription) {
      return (type, "an existential")
    }
    return nil
  }

  /// `willSet` and `didSet`, in source order; empty for a binding whose accessors compute it.
  var observers: [AccessorDeclSyntax] {
    guard case .accessors(let accessors) = accessorBlock?.accessors else { return [] }
    return accessors.filter { ["willSet", "didSet"].contains($0.accessorSpecifier.text) }
  }
}

extension TypeSyntax {
  /// The `T` of `(T)` and `@Sendable T`.
  fileprivate var withoutParentheses: TypeSyntax {
    if let tuple = self.as(TupleTypeSyntax.self), tuple.elements.count == 1, let only = tuple.elements.first {
      return only.type.withoutParentheses
    }
    return self.as(AttributedTypeSyntax.self)?.baseType.withoutParentheses ?? self
  }
}

extension AttributeSyntax {
  /// The key path of `inverse:` that does not say in which class its property is.
  var inverseWithoutClass: KeyPathExprSyntax? {
    guard case .argumentList(let arguments) = arguments else { return nil }
    let inverse = arguments.first { $0.label?.text == "inverse" }?.expression.as(KeyPathExprSyntax.self)
    return inverse?.root == nil ? inverse : nil
  }

  /// The name without a module: `Attribute` for `@SwiftData.Attribute`.
  var baseName: String {
    if let member = attributeName.as(MemberTypeSyntax.self) { return member.name.text }
    return attributeName.as(IdentifierTypeSyntax.self)?.name.text ?? attributeName.trimmedDescription
  }

  /// The names of the unlabelled arguments: `unique` for `.unique`, `transformable` for `.transformable(by: …)`.
  var optionNames: [String] {
    guard case .argumentList(let arguments) = arguments else { return [] }
    return arguments.filter { $0.label == nil }.compactMap { argument in
      let called = argument.expression.as(FunctionCallExprSyntax.self)?.calledExpression ?? argument.expression
      return called.as(MemberAccessExprSyntax.self)?.declName.baseName.text
    }
  }

  /// The text between the parentheses; empty without them.
  var argumentText: String {
    guard case .argumentList(let arguments) = arguments else { return "" }
    return arguments.trimmedDescription
  }
}
