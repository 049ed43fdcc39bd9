/// The place that lines of the shell come from.
protocol LineSource {
  /// The next line; nil at the end.
  func next() -> String?
}

/// Lines of a pipe or a file, without a prompt.
struct PlainLines: LineSource {
  func next() -> String? { readLine() }
}
