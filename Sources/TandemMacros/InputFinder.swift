import SwiftSyntax

/// Looks for what only the body of a predicate knows: parameters of closures, what `if let` binds, and what an optional
/// chain goes on with. Closures that name a parameter alike mean their own.
final class InputFinder: SyntaxVisitor {
  private let names: Set<String>
  private let links: Set<SyntaxIdentifier>
  private var found: String?
  private var lastShorthand = -1

  private init(_ names: Set<String>, _ links: Set<SyntaxIdentifier>) {
    self.names = names
    self.links = links
    super.init(viewMode: .sourceAccurate)
  }

  /// The first input that an expression mentions.
  static func input(
    in node: some SyntaxProtocol, of names: Set<String>, _ links: Set<SyntaxIdentifier>
  ) -> String? {
    let finder = InputFinder(names, links)
    finder.walk(node)
    return finder.found
  }

  /// The greatest number of a `$0` and its kin that belong to a closure itself; -1 if there is none.
  static func lastShorthand(in closure: ClosureExprSyntax) -> Int {
    let finder = InputFinder([], [])
    finder.walk(closure.statements)
    return finder.lastShorthand
  }

  override func visit(_ node: DeclReferenceExprSyntax) -> SyntaxVisitorContinueKind {
    let isMember =
      node.parent?.as(MemberAccessExprSyntax.self)?.declName == node
      || node.parent?.is(KeyPathPropertyComponentSyntax.self) == true
    guard !isMember else { return .visitChildren }
    let name = node.baseName.text
    if name.first == "$", let number = Int(name.dropFirst()) { lastShorthand = max(lastShorthand, number) }
    if found == nil, names.contains(name) { found = name }
    return .visitChildren
  }

  override func visit(_ node: OptionalChainingExprSyntax) -> SyntaxVisitorContinueKind {
    if found == nil, links.contains(node.id) { found = node.trimmedDescription }
    return .visitChildren
  }

  override func visit(_ node: ClosureExprSyntax) -> SyntaxVisitorContinueKind {
    if found == nil { found = Self.input(in: node.statements, of: names.subtracting(node.parameterNames), links) }
    return .skipChildren
  }
}

extension ClosureExprSyntax {
  fileprivate var parameterNames: Set<String> {
    switch signature?.parameterClause {
    case .simpleInput(let list): Set(list.map(\.name.text))
    case .parameterClause(let clause): Set(clause.parameters.map { ($0.secondName ?? $0.firstName).text })
    case nil: Set((0...9).map { "$\($0)" })
    }
  }
}
