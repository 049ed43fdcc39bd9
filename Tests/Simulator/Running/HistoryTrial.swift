package import RecordStore
import ScenarioRunner
import StoreTables

/// What a history is tried for: that it holds, and where asked, that both ways of a commit leave the same bytes.
package struct HistoryTrial: Sendable {
  /// A rule made wrong on purpose.
  package var mutation: RuleMutation?
  /// Whether the history runs twice: once with rules that look at each record, once with rules that look only where
  /// they concern one. In the end all stores must be equal, byte for byte.
  package var comparesWays = false

  package init(mutation: RuleMutation? = nil, comparesWays: Bool = false) {
    (self.mutation, self.comparesWays) = (mutation, comparesWays)
  }

  package func run(_ history: History) async throws -> HistoryOutcome {
    guard comparesWays else {
      // In half of the histories, every other replica asks always: all must agree.
      let asking: AskingReplicas = history.seed.isMultiple(of: 2) ? .none : .everyOther
      return try await HistoryRun.run(history, mutation: mutation, asking: asking)
    }
    let asked = try await HistoryRun.run(history, mutation: mutation, asking: .all, keepsContents: true)
    guard asked.violation == nil else { return asked }
    var passed = try await HistoryRun.run(history, mutation: mutation, asking: .none, keepsContents: true)
    guard passed.violation == nil else { return passed }
    passed.checked.insert(.waysAgree)
    passed.violation = Self.difference(of: passed, from: asked, in: history)
    return passed
  }

  /// The violation where both ways left something else; nil where they agree.
  static func difference(of passed: HistoryOutcome, from asked: HistoryOutcome, in history: History) -> Violation? {
    guard passed.failures == asked.failures else {
      return Violation(invariant: .waysAgree, sentence: "other steps are refused where rules look at each record")
    }
    for (replica, (left, right)) in zip(history.replicas, zip(asked.contents, passed.contents)) {
      guard let name = left.difference(from: right) else { continue }
      let sentence = "\(name) of \(replica) is another where rules look at each record"
      return Violation(invariant: .waysAgree, sentence: sentence, replica: replica)
    }
    return nil
  }
}
