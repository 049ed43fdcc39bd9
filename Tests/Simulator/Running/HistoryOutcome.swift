import ScenarioRunner
import StoreTables

/// What came of one history.
package struct HistoryOutcome: Sendable {
  /// The history's.
  package let seed: UInt64
  package var violation: Violation?
  /// Invariants that the history gave something to check.
  package var checked: Set<Invariant> = []
  /// How often which fault was played.
  package var faults: [String: Int] = [:]
  package var saves = 0
  package var refusedSaves = 0
  /// By step: the code with which the engine refused it.
  var failures: [Int: String] = [:]
  /// Steps that made no sense where they stood.
  var skipped: Set<Int> = []
  /// What the stores of all replicas hold in the end; empty where nobody asked.
  var contents: [StoreContents] = []
  /// What the oracle expects in the end, as a scenario says it.
  var expectation: JSONValue = .object([:])

  init(seed: UInt64) { self.seed = seed }
}
