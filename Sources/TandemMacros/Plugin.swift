import SwiftCompilerPlugin
import SwiftSyntaxMacros

@main
struct TandemPlugin: CompilerPlugin {
  let providingMacros: [any Macro.Type] = []
}
