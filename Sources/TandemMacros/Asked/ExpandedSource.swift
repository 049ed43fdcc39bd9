import SwiftDiagnostics
import SwiftParser
import SwiftSyntax
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros

private func named(_ name: String) -> TypeSyntax {
  TypeSyntax(IdentifierTypeSyntax(name: .identifier(name)))
}

/// A source with its macros expanded, and what was said about it, as text to pin.
struct ExpandedSource: Encodable {
  private static let macros: [String: any Macro.Type] = [
    "Model": ModelMacro.self, "_PersistedProperty": PersistedPropertyMacro.self,
    "_PersistedDefault": PersistedDefaultMacro.self, "_PersistedInitializer": PersistedInitializerMacro.self,
    "Attribute": AttributeMacro.self, "Relationship": RelationshipMacro.self, "Transient": TransientMacro.self,
    "Unique": UniqueMacro.self, "Index": IndexMacro.self, "Group": GroupMacro.self,
    "ModelActor": ModelActorMacro.self, "Predicate": PredicateMacro.self,
  ]

  let text: String
  /// Each diagnostic as `line:column severity: message`, each fix-it with the lines that it changes.
  let mistakes: String

  /// - Parameter leaving: Macros to leave as they are, so that a test sees one layer alone.
  /// - Parameter conformances: What `@Model` is told that the type does not conform to yet.
  init(of source: String, leaving: Set<String>, conformances: [String]) {
    let file = Parser.parse(source: source)
    let context = BasicMacroExpansionContext(
      sourceFiles: [file: .init(moduleName: "Tests", fullFilePath: "Tests.swift")])
    let macros = Self.macros.filter { !leaving.contains($0.key) }.map { name, macro in
      (name, MacroSpec(type: macro, conformances: (name == "ModelActor" ? ["ModelActor"] : conformances).map(named)))
    }
    let expanded = file.expand(
      macroSpecs: Dictionary(uniqueKeysWithValues: macros),
      contextGenerator: {
        BasicMacroExpansionContext(sharingWith: context, lexicalContext: $0.allMacroLexicalContexts())
      }, indentationWidth: .spaces(2))
    text = expanded.description
    mistakes = Mistakes(source: source, context: context).description
  }
}

private struct Mistakes {
  let source: String
  let context: BasicMacroExpansionContext

  var description: String {
    context.diagnostics.map { diagnostic in
      let place = context.location(for: diagnostic.position, anchoredAt: diagnostic.node, fileName: "Tests.swift")
      let head =
        "\(place.line):\(place.column) \(diagnostic.diagMessage.severity): \(diagnostic.message)"
      return ([head] + diagnostic.fixIts.map(describe)).joined(separator: "\n")
    }.joined(separator: "\n")
  }

  private func describe(_ fixIt: FixIt) -> String {
    let before = source.split(separator: "\n", omittingEmptySubsequences: false)
    let after = fixIt.changes.reduce(source, apply).split(separator: "\n", omittingEmptySubsequences: false)
    let common = zip(before, after).prefix { $0 == $1 }.count
    let tail = zip(before.dropFirst(common).reversed(), after.dropFirst(common).reversed()).prefix { $0 == $1 }.count
    let changed = after.dropFirst(common).dropLast(tail).map { "\n  | \($0)" }.joined()
    return "  \(fixIt.message.message):\(changed)"
  }

  private func apply(to text: String, _ change: FixIt.Change) -> String {
    guard case .replace(let old, let new) = change else {
      return "a fix-it of another kind: teach the test to apply it"
    }
    let start = context.location(for: old.position, anchoredAt: old, fileName: "Tests.swift")
    let end = context.location(for: old.endPosition, anchoredAt: old, fileName: "Tests.swift")
    let bytes = Array(text.utf8)
    return String(decoding: bytes[..<start.offset] + Array(new.description.utf8) + bytes[end.offset...], as: UTF8.self)
  }
}
