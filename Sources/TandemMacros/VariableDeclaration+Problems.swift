import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

extension VariableDeclSyntax {
  /// What is wrong with one variable of a model.
  var problems: [Diagnostic] {
    guard isStoredInInstance else { return [] }
    if has("Transient") { return transientProblems }
    if let problem = unpersistable { return [problem] }
    return [reservedName, bothAttributes, constant, observed].compactMap { $0 }
  }

  private var firstName: String {
    bindings.first?.pattern.as(IdentifierPatternSyntax.self)?.identifier.identifier?.name ?? ""
  }

  private var transientProblems: [Diagnostic] {
    let markers = ["Attribute", "Relationship"].compactMap { attribute($0) }.map {
      Diagnostic(.attributeOnTransient($0.baseName, property: firstName), at: $0, .remove($0, from: self))
    }
    guard wrapperAttribute == nil else { return markers }
    return markers
      + bindings.filter { binding in
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
