/// A mistake in an expression, and its place.
struct ExpressionError: Error, Hashable, CustomStringConvertible {
  /// From 1, in characters of the expression.
  var column: Int
  var message: String

  init(_ message: String, at column: Int) {
    self.message = message
    self.column = column
  }

  var description: String { "column \(column): \(message)" }

  /// The sentence, and below it the expression with a mark under the place.
  func failure(of expression: String) -> CommandFailure {
    let before = DisplayText.width(DisplayText.visible(expression.prefix(column - 1)))
    return CommandFailure(
      "--where, column \(column): \(message)",
      excerpt: ["  \(DisplayText.visible(expression))", "  " + String(repeating: " ", count: before) + "^"])
  }
}
