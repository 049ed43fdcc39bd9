public import Foundation

// Many tokens at once.
extension TransactionVerifier {
  /// How many tokens a task verifies: some milliseconds' work, beside which a task costs nothing.
  private static let share = 32

  /// The ``result(for:now:)`` of each token, in the order of the tokens, worked out on all processors.
  ///
  /// - Throws: ``VerificationFailure`` for the first text that is no token at all.
  public func results(for texts: [String], now: Date) async throws -> [VerificationResult<Transaction>] {
    let starts = Array(stride(from: 0, to: texts.count, by: Self.share))
    return try await withThrowingTaskGroup(of: (Int, [VerificationResult<Transaction>]).self) { group in
      for start in starts {
        group.addTask {
          var results: [VerificationResult<Transaction>] = []
          for text in texts[start...].prefix(Self.share) { results.append(try await result(for: text, now: now)) }
          return (start, results)
        }
      }
      var shares: [Int: [VerificationResult<Transaction>]] = [:]
      for try await (start, results) in group { shares[start] = results }
      return starts.flatMap { shares[$0] ?? [] }
    }
  }
}
