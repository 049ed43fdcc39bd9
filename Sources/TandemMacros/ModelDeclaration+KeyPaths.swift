import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

/// One use of `#Unique`, `#Index` or `#Group` in a model, and what is wrong with the key paths that it is given.
struct KeyPathLists {
  private let use: MacroExpansionDeclSyntax
  private let model: ClassDeclSyntax

  init?(_ member: MemberBlockItemSyntax, of model: ClassDeclSyntax) {
    guard let use = member.decl.as(MacroExpansionDeclSyntax.self), Self.names.contains(use.macroName.text) else {
      return nil
    }
    self.use = use
    self.model = model
  }

  private static let names: Set<String> = ["Unique", "Index", "Group"]

  /// Whether the compiler can make sense of it.
  var isSound: Bool { problems.allSatisfy { $0.diagMessage.severity != .error } }

  var problems: [Diagnostic] {
    [otherClass].compactMap { $0 } + use.arguments.flatMap { problems(of: $0.expression) }
  }

  private func problems(of argument: ExprSyntax) -> [Diagnostic] {
    if let path = argument.as(KeyPathExprSyntax.self) {
      return use.macroName.text == "Group" ? [problem(of: path)].compactMap { $0 } : [withoutBrackets(path)]
    }
    // The array inside of `.binary([…])`.
    let array = argument.as(FunctionCallExprSyntax.self)?.arguments.first?.expression ?? argument
    guard let list = array.as(ArrayExprSyntax.self) else { return [] }
    return Array(list.elements).compactMap { element in
      element.expression.as(KeyPathExprSyntax.self).flatMap { problem(of: $0, element: element, in: list) }
    }
  }

  private func withoutBrackets(_ path: KeyPathExprSyntax) -> Diagnostic {
    let bracketed = ExprSyntax("[\(path.trimmed)]")
      .with(\.leadingTrivia, path.leadingTrivia).with(\.trailingTrivia, path.trailingTrivia)
    return Diagnostic(
      .keyPathWithoutBrackets(use.macroName.text), at: path,
      FixIt("put it in brackets", replace: ExprSyntax(path), with: bracketed))
  }

  /// The class between the angle brackets, where it is not the one around them.
  private var otherClass: Diagnostic? {
    guard let type = use.genericArgumentClause?.arguments.first?.argument.as(TypeSyntax.self), !isOwn(type) else {
      return nil
    }
    return otherClass(type)
  }

  private func otherClass(_ type: TypeSyntax) -> Diagnostic {
    let own = TypeSyntax(IdentifierTypeSyntax(name: .identifier(model.name.text)))
      .with(\.leadingTrivia, type.leadingTrivia).with(\.trailingTrivia, type.trailingTrivia)
    return Diagnostic(
      .otherClass(use.macroName.text, written: type.trimmedDescription, model: model.name.text), at: type,
      FixIt("make it '\(model.name.text)'", replace: type, with: own))
  }

  /// Whether a type, as it is written, may be the model: of its name, or one that it inherits from.
  private func isOwn(_ type: TypeSyntax) -> Bool {
    let name = type.as(MemberTypeSyntax.self)?.name.text ?? type.trimmedDescription
    let inherited = model.inheritanceClause?.inheritedTypes.map(\.type.trimmedDescription) ?? []
    return ([model.name.text, "Self"] + inherited).contains(name)
  }

  private func problem(
    of path: KeyPathExprSyntax, element: ArrayElementSyntax? = nil, in list: ArrayExprSyntax? = nil
  ) -> Diagnostic? {
    if let root = path.root, !isOwn(root) { return otherClass(root) }
    guard let first = path.components.first?.component.as(KeyPathPropertyComponentSyntax.self),
      model.hasUnstoredProperty(first.declName.baseName.text)
    else { return nil }
    let removal = element.flatMap { element in list.flatMap { self.removal(of: element, from: $0) } }
    return Diagnostic(
      .unstoredKeyPath(use.macroName.text, property: first.declName.baseName.text), at: first,
      removal.map { [$0] } ?? [])
  }

  /// Nil where nothing would be left.
  private func removal(of element: ArrayElementSyntax, from list: ArrayExprSyntax) -> FixIt? {
    var rest = Array(list.elements).filter { $0.id != element.id }
    guard let last = rest.indices.last else { return nil }
    if element.trailingComma == nil { rest[last].trailingComma = nil }
    return FixIt(
      "remove '\(element.expression.trimmed)'", replace: list.elements, with: ArrayElementListSyntax(rest))
  }
}

extension ClassDeclSyntax {
  /// Whether the class declares a property of this name that has no field.
  fileprivate func hasUnstoredProperty(_ name: String) -> Bool {
    memberBlock.members.lazy.compactMap { $0.decl.as(VariableDeclSyntax.self) }.contains { variable in
      (!variable.isStoredInInstance || variable.has("Transient"))
        // A property that it overrides may be stored.
        && !variable.modifiers.contains { $0.name.text == "override" }
        && variable.bindings.contains { $0.pattern.trimmedDescription == name }
    }
  }

  /// The uses of `#Unique`, `#Index` and `#Group`.
  var keyPathLists: [KeyPathLists] { memberBlock.members.compactMap { KeyPathLists($0, of: self) } }
}
