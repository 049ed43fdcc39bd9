import SwiftDiagnostics
import SwiftParser
import SwiftSyntax

/// The problems of the class with its macro that a source begins with, by where they point.
struct ModelProblems: Encodable {
  let count: Int
  /// The messages of those that point into another tree than the source's.
  let strays: [String]

  init(of source: String) {
    let file = Parser.parse(source: source)
    let model = file.statements.first?.item.as(ClassDeclSyntax.self)
    guard let model, let attribute = model.attributes.first?.as(AttributeSyntax.self) else {
      (count, strays) = (0, ["the source does not begin with a class and its macro"])
      return
    }
    let problems = ModelDeclaration.problems(of: model, attribute: attribute, inherits: false)
    count = problems.count
    strays = problems.filter { problem in
      var nodes = [problem.node]
      for case .replace(let old, _) in problem.fixIts.flatMap(\.changes) { nodes.append(old) }
      return nodes.contains { $0.root.id != file.id }
    }.map(\.message)
  }
}
