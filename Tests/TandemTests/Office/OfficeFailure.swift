/// What a history came to that should not be.
struct OfficeFailure: Error {
  let steps: [OfficeStep]
  let reasons: [String]

  var text: String {
    steps.map { "  \($0)\n" }.joined() + reasons.joined(separator: "\n")
  }

  /// Leaves out steps as long as the rest fails, too.
  func shortest(
    isolation: isolated (any Actor)? = #isolation, _ replay: ([OfficeStep]) async throws -> OfficeFailure?
  ) async throws -> OfficeFailure {
    var best = self
    var size = max(best.steps.count / 2, 1)
    while true {
      var start = 0
      var hasShrunk = false
      while start < best.steps.count {
        var fewer = best.steps
        fewer.removeSubrange(start..<min(start + size, fewer.count))
        if let failure = try await replay(fewer) {
          best = failure
          hasShrunk = true
        } else {
          start += size
        }
      }
      if size == 1, !hasShrunk { return best }
      size = max(size / 2, 1)
    }
  }
}
