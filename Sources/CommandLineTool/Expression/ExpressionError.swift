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

  private static let longestName = 60
  private static let longestExcerpt = 120

  /// The sentence, and below it the expression with a mark under the place. Of a long expression, what is around the
  /// place.
  func failure(of expression: String) -> CommandFailure {
    let reach = ExpressionError.longestExcerpt / 2
    let isLong = expression.count > ExpressionError.longestExcerpt
    let before = expression.prefix(column - 1)
    let after = expression.dropFirst(column - 1)
    let head = (isLong && before.count > reach ? "…" : "") + DisplayText.visible(isLong ? before.suffix(reach) : before)
    let tail = DisplayText.visible(isLong ? after.prefix(reach) : after) + (isLong && after.count > reach ? "…" : "")
    return CommandFailure(
      "--where, column \(column): \(shortMessage)",
      excerpt: ["  " + head + tail, "  " + String(repeating: " ", count: DisplayText.width(head)) + "^"])
  }

  /// The message with long names cut, but not the signs behind them.
  private var shortMessage: String {
    message.split(separator: " ", omittingEmptySubsequences: false).map { word in
      guard word.count > ExpressionError.longestName else { return String(word) }
      return word.prefix(ExpressionError.longestName) + "…" + word.suffix(2).drop { !"';,:".contains($0) }
    }.joined(separator: " ")
  }
}
