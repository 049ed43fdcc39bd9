import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

extension ModelDeclaration {
  /// Everything that keeps a declaration from being a good model, in source order by kind.
  ///
  /// - Parameter inherits: Whether the superclass is a model.
  static func problems(
    of declaration: some DeclGroupSyntax, attribute: AttributeSyntax, inherits: Bool
  ) -> [Diagnostic] {
    guard let model = declaration.as(ClassDeclSyntax.self) else {
      return [notAClass(declaration, attribute: attribute)]
    }
    if let generics = model.genericParameterClause {
      let plain = model.with(\.genericParameterClause, nil).with(\.name.trailingTrivia, .space)
      return [Diagnostic(.genericModel, at: generics, FixIt("remove the parameters", replace: model, with: plain))]
    }
    let members = model.memberBlock.members
    let variables = members.compactMap { $0.decl.as(VariableDeclSyntax.self) }
    return variables.flatMap(\.problems) + repeatedOriginalName(variables) + conditionalProperties(members)
      + repeatedUnique(in: model) + model.keyPathLists.flatMap(\.problems)
      + missingInitializer(in: model, inherits: inherits)
  }

  private static func notAClass(_ declaration: some DeclGroupSyntax, attribute: AttributeSyntax) -> Diagnostic {
    let keyword = declaration.introducer
    let kind: String
    switch keyword.tokenKind {
    case .keyword(.actor): kind = "an actor"
    case .keyword(.enum): kind = "an enum"
    case .keyword(.protocol): kind = "a protocol"
    case .keyword(.extension): kind = "an extension"
    default: kind = "a struct"
    }
    guard declaration.is(StructDeclSyntax.self) || declaration.is(ActorDeclSyntax.self) else {
      return Diagnostic(.notAClass(kind: kind), at: keyword, FixIt.removals(of: attribute, from: declaration))
    }
    let newKeyword = TokenSyntax.keyword(
      .class, leadingTrivia: keyword.leadingTrivia + [.unexpectedText("final ")], trailingTrivia: keyword.trailingTrivia
    )
    return Diagnostic(
      .notAClass(kind: kind), at: keyword, FixIt("make it a class", replace: keyword, with: newKeyword))
  }

  private static func repeatedOriginalName(_ variables: [VariableDeclSyntax]) -> [Diagnostic] {
    var seen: Set<String> = []
    return variables.compactMap { variable in
      guard let name = variable.originalName, !seen.insert(name.value).inserted else { return nil }
      return Diagnostic(
        .repeatedOriginalName(name.value), at: name.argument.expression,
        variable.removal(of: name.argument, from: name.list))
    }
  }

  private static func conditionalProperties(_ members: MemberBlockItemListSyntax) -> [Diagnostic] {
    members.compactMap { $0.decl.as(IfConfigDeclSyntax.self) }.flatMap { condition in
      condition.clauses.flatMap { clause -> [Diagnostic] in
        guard case .decls(let members) = clause.elements else { return [] }
        return members.compactMap { $0.decl.as(VariableDeclSyntax.self) }
          .filter { $0.persistedProperty != nil }
          .map { Diagnostic(.conditionalProperty, at: $0, .addTransient(to: $0)) }
      }
    }
  }

  private static func repeatedUnique(in model: ClassDeclSyntax) -> [Diagnostic] {
    let members = model.memberBlock.members
    let uses = members.compactMap { $0.decl.as(MacroExpansionDeclSyntax.self) }.filter { $0.macroName.text == "Unique" }
    guard let first = uses.first, uses.count > 1 else { return [] }
    var merged = first
    let constraints = uses.flatMap { $0.arguments.map(\.expression.trimmedDescription) }
    merged.arguments = LabeledExprListSyntax(
      constraints.enumerated().map { index, constraint in
        LabeledExprSyntax(
          expression: ExprSyntax("\(raw: constraint)"),
          trailingComma: index + 1 < constraints.count ? .commaToken(trailingTrivia: .space) : nil)
      })
    let repeated = Set(uses.dropFirst().map(\.id))
    var changed = model
    changed.memberBlock.members = MemberBlockItemListSyntax(
      members.compactMap { member -> MemberBlockItemSyntax? in
        if repeated.contains(where: { $0 == member.decl.id }) { return nil }
        return member.decl.id == first.id ? member.with(\.decl, DeclSyntax(merged)) : member
      })
    let fix = FixIt("merge the constraints", replace: model, with: changed)
    return uses.dropFirst().map { Diagnostic(.repeatedUnique, at: $0, fix) }
  }

  private static func missingInitializer(in model: ClassDeclSyntax, inherits: Bool) -> [Diagnostic] {
    let members = model.memberBlock.members
    // The initialisers of a superclass that is no model cannot be seen from here.
    guard !members.contains(where: { $0.decl.is(InitializerDeclSyntax.self) }),
      inherits || model.inheritanceClause == nil
    else { return [] }
    let properties = ModelDeclaration(model).properties.filter { $0.type != nil }
    let parameters = properties.map { property in
      let initial = property.defaultValue.map { " = \($0.trimmedDescription)" } ?? ""
      return "\(property.identifier.text): \(property.type?.trimmedDescription ?? "")\(initial)"
    }
    let lines =
      properties.map { "    self.\($0.name) = \($0.identifier.text)\n" }.joined()
      + (inherits ? "    super.init(<#arguments#>)\n" : "")
    let initializer: DeclSyntax = "  init(\(raw: parameters.joined(separator: ", "))) {\n\(raw: lines)  }"
    var changed = model
    changed.memberBlock.members.append(MemberBlockItemSyntax(leadingTrivia: .newlines(2), decl: initializer))
    let fix = FixIt("add an initialiser", replace: model, with: changed)
    return [Diagnostic(.missingInitializer(model: model.name.text), at: model.name, fix)]
  }
}
