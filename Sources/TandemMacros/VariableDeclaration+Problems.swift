import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

extension VariableDeclSyntax {
  /// The mistakes in one variable of a model.
  var problems: [Diagnostic] {
    guard isStoredInInstance else { return [] }
    if has("Transient") { return transientProblems }
    if let problem = unpersistable { return [problem] }
    return [
      reservedName, bothAttributes, constant, untyped, observed, optionalTwice, orderedToOne, relationshipToValue,
      inverseWithoutClass,
    ].compactMap { $0 } + optionProblems
  }

  private static let contradictions = [
    ("ephemeral", "unique"), ("ephemeral", "externalStorage"), ("ephemeral", "preserveValueOnDeletion"),
    ("codable", "transformable"),
  ]

  /// Options that are given twice, or that exclude each other; each with the later one's removal.
  private var optionProblems: [Diagnostic] {
    guard let attribute = attribute("Attribute") ?? attribute("Relationship"),
      case .argumentList(let list) = attribute.arguments
    else { return [] }
    let options = zip(attribute.optionNames, Array(list).filter { $0.label == nil })
    var seen: [String] = []
    var problems: [Diagnostic] = []
    for (name, argument) in options {
      let other = seen.first { earlier in
        earlier == name || Self.contradictions.contains { $0 == (earlier, name) || $0 == (name, earlier) }
      }
      seen.append(name)
      guard let other else { continue }
      let mistake: Mistake = other == name ? .repeatedOption(name) : .contradictoryOptions(other, name)
      problems.append(Diagnostic(mistake, at: argument.expression, removal(of: argument, from: list)))
    }
    return problems
  }

  func removal(of argument: LabeledExprSyntax, from list: LabeledExprListSyntax) -> FixIt {
    // An array, as the elements of a filtered list belong to a tree of their own.
    var rest = Array(list).filter { $0.id != argument.id }
    if let last = rest.indices.last, argument.trailingComma == nil { rest[last].trailingComma = nil }
    return FixIt(
      "remove '\(argument.with(\.trailingComma, nil).trimmed)'", replace: list, with: LabeledExprListSyntax(rest))
  }

  private var orderedToOne: Diagnostic? {
    guard let relationship = attribute("Relationship"), case .argumentList(let list) = relationship.arguments,
      relationship.optionNames.contains("ordered"), let type = bindings.first?.typeAnnotation?.type, type.isToOneSugar,
      let argument = list.first(where: { $0.expression.trimmedDescription.hasSuffix("ordered") })
    else { return nil }
    return Diagnostic(
      .orderedToOne(property: firstName), at: argument.expression, removal(of: argument, from: list))
  }

  /// The earlier name that an option gives.
  var originalName: (value: String, argument: LabeledExprSyntax, list: LabeledExprListSyntax)? {
    guard !has("Transient"), let attribute = attribute("Attribute") ?? attribute("Relationship"),
      case .argumentList(let list) = attribute.arguments,
      let argument = list.first(where: { $0.label?.text == "originalName" }),
      let value = argument.expression.as(StringLiteralExprSyntax.self)?.segments.trimmedDescription
    else { return nil }
    return (value, argument, list)
  }

  private static let valueTypes: Set<String> = [
    "Bool", "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64", "Float", "Double",
    "CGFloat", "Decimal", "String", "Date", "UUID", "Data", "URL",
  ]

  private var relationshipToValue: Diagnostic? {
    guard let relationship = attribute("Relationship"), let type = bindings.first?.typeAnnotation?.type else {
      return nil
    }
    let whole = type.wrappedByOptional ?? type
    let target = whole.as(ArrayTypeSyntax.self)?.element ?? whole
    guard Self.valueTypes.contains(target.trimmedDescription) else { return nil }
    return Diagnostic(
      .relationshipToValue(property: firstName, type: target.trimmedDescription), at: relationship,
      .remove(relationship, from: self))
  }

  private var inverseWithoutClass: Diagnostic? {
    guard let path = attribute("Relationship")?.inverseWithoutClass else { return nil }
    let type = bindings.first?.typeAnnotation?.type
    let whole = type.flatMap { $0.wrappedByOptional ?? $0 }
    let target = whole.map { $0.as(ArrayTypeSyntax.self)?.element ?? $0 }
    let root: TypeSyntax = target?.trimmed ?? "<#class#>"
    return Diagnostic(
      .inverseWithoutClass(property: firstName), at: path,
      FixIt("name the class", replace: path, with: path.with(\.root, root)))
  }

  private var untyped: Diagnostic? {
    guard let binding = bindings.first, binding.lacksType else { return nil }
    let annotation = TypeAnnotationSyntax(
      colon: .colonToken(trailingTrivia: .space), type: IdentifierTypeSyntax(name: .identifier("<#type#>")),
      trailingTrivia: binding.pattern.trailingTrivia)
    var typed = binding
    typed.pattern.trailingTrivia = []
    typed.typeAnnotation = annotation
    return Diagnostic(
      .propertyWithoutType(firstName), at: binding.pattern, FixIt("add a type", replace: binding, with: typed))
  }

  private var optionalTwice: Diagnostic? {
    guard let type = bindings.first?.typeAnnotation?.type, let inner = type.wrappedByOptional,
      inner.wrappedByOptional != nil
    else { return nil }
    let plain = inner.with(\.leadingTrivia, type.leadingTrivia).with(\.trailingTrivia, type.trailingTrivia)
    return Diagnostic(
      .optionalTwice(property: firstName), at: type, FixIt("make it '\(inner.trimmed)'", replace: type, with: plain))
  }

  private var firstName: String {
    bindings.first?.pattern.as(IdentifierPatternSyntax.self)?.identifier.identifier?.name ?? ""
  }

  private var transientProblems: [Diagnostic] {
    let markers = ["Attribute", "Relationship"].compactMap { attribute($0) }.map {
      Diagnostic(.attributeOnTransient($0.baseName, property: firstName), at: $0, .remove($0, from: self))
    }
    guard wrapperAttribute == nil else { return markers }
    // An array, as the elements of a filtered list belong to a tree of their own, whose place nobody knows.
    return markers
      + Array(bindings).filter { binding in
        let startsAsNil = binding.typeAnnotation?.type.isOptionalSugar == true && bindingSpecifier.text == "var"
        return binding.initializer == nil && !startsAsNil
      }.map { binding in
        let initializer = InitializerClauseSyntax(
          equal: .equalToken(leadingTrivia: .space, trailingTrivia: .space), value: ExprSyntax("<#default#>"))
        let fix = FixIt("add a default", replace: binding, with: binding.with(\.initializer, initializer))
        return Diagnostic(
          .transientWithoutDefault(property: binding.pattern.trimmedDescription), at: binding.pattern, fix)
      }
  }

  /// Why the store cannot keep it at all.
  private var unpersistable: Diagnostic? {
    if let modifier = refusedModifier, modifier.name.text == "override" {
      return Diagnostic(.overridden(property: firstName), at: modifier, .addTransient(to: self))
    }
    if let modifier = refusedModifier {
      var changed = self
      changed.modifiers = modifiers.filter { $0.id != modifier.id }
      changed.leadingTrivia = leadingTrivia
      return Diagnostic(
        .refusedModifier(modifier.name.text, property: firstName), at: modifier,
        FixIt("remove '\(modifier.name.text)'", replace: self, with: changed), .addTransient(to: self))
    }
    if let wrapper = wrapperAttribute {
      return Diagnostic(
        .wrapped(property: firstName, wrapper: wrapper.baseName), at: wrapper, .addTransient(to: self))
    }
    if let unstorable = bindings.first?.unstorableType, bindings.count == 1, !isCoded {
      return Diagnostic(
        .unstorableType(property: firstName, kind: unstorable.kind), at: unstorable.type, .addTransient(to: self))
    }
    if bindings.count > 1 { return Diagnostic(.severalBindings, at: self, splitting) }
    if let pattern = bindings.first?.pattern, !pattern.is(IdentifierPatternSyntax.self) {
      return Diagnostic(.destructured, at: pattern, .addTransient(to: self))
    }
    return nil
  }

  private var splitting: FixIt {
    var single = self
    let texts = bindings.map { binding in
      single.bindings = [binding.with(\.trailingComma, nil).trimmed]
      return single.trimmedDescription
    }
    let text = texts.joined(separator: "\n" + leadingTrivia.indentation)
    let changed = DeclSyntax("\(raw: text)").with(\.leadingTrivia, leadingTrivia)
    return FixIt("declare them one by one", replace: self, with: changed)
  }

  private static let reservedNames: Set<String> = [
    "persistentBackingData", "persistentModelID", "modelContext", "schemaMetadata", "hashValue",
  ]

  private var reservedName: Diagnostic? {
    guard Self.reservedNames.contains(firstName), let pattern = bindings.first?.pattern else { return nil }
    let renamed = IdentifierPatternSyntax(identifier: .identifier(firstName + "Value"))
      .with(\.leadingTrivia, pattern.leadingTrivia).with(\.trailingTrivia, pattern.trailingTrivia)
    return Diagnostic(
      .reservedName(firstName), at: pattern,
      FixIt("rename it '\(firstName)Value'", replace: pattern, with: PatternSyntax(renamed)))
  }

  private var bothAttributes: Diagnostic? {
    guard has("Relationship"), let attribute = attribute("Attribute") else { return nil }
    return Diagnostic(
      .attributeAndRelationship(property: firstName), at: attribute, .remove(attribute, from: self))
  }

  private var constant: Diagnostic? {
    guard bindingSpecifier.text == "let" else { return nil }
    let keyword = TokenSyntax.keyword(
      .var, leadingTrivia: bindingSpecifier.leadingTrivia, trailingTrivia: bindingSpecifier.trailingTrivia)
    return Diagnostic(
      .constant(property: firstName), at: bindingSpecifier,
      FixIt("make it a 'var'", replace: bindingSpecifier, with: keyword))
  }

  private var observed: Diagnostic? {
    guard let binding = bindings.first, let observer = binding.observers.first else { return nil }
    var plain = binding.with(\.accessorBlock, nil)
    plain.trailingTrivia = []
    return Diagnostic(
      .observed(property: firstName), at: observer, FixIt("remove the observers", replace: binding, with: plain))
  }
}

extension Trivia {
  /// The spaces or tabs of the last line.
  var indentation: String {
    String(description.reversed().prefix { $0 == " " || $0 == "\t" }.reversed())
  }
}
