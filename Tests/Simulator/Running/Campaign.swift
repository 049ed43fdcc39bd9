import RecordStore
import ScenarioRunner

/// Many histories on several tasks, counted together.
package struct Campaign: Sendable {
  package var firstSeed: UInt64 = 1
  package var histories = 2000
  /// Nil: no limit.
  package var deadline: ContinuousClock.Instant?
  package var jobs = 1
  package var trial = HistoryTrial()
  /// Nil: each seed chooses.
  package var theme: String?
  /// Only histories in which devices are copied or restored.
  package var isOfCopies = false
  /// Whether the first history that does not hold ends the campaign.
  package var stopsAtFirst = true
  /// Called after each history, on any task.
  package var progress: (@Sendable (CampaignSummary) -> Void)?

  package init() {}

  /// The schemas that histories are about.
  package static var themes: [String] { Theme.all.map(\.name) }

  /// Runs until the count, the deadline, a violation or the task's cancellation.
  package func run() async throws -> CampaignSummary {
    var summary = CampaignSummary()
    // An outcome carries its seed: in release builds, tuples of a number and an optional came back from the group's
    // tasks with another number (Swift 6.3).
    try await withThrowingTaskGroup(of: HistoryOutcome?.self) { group in
      var next = 0
      func start() {
        let isLate = deadline.map { ContinuousClock.now >= $0 } ?? false
        let isDecided = stopsAtFirst && !summary.violations.isEmpty
        guard next < histories, !isLate, !isDecided, !Task.isCancelled else { return }
        let seed = firstSeed &+ UInt64(next)
        next += 1
        group.addTask { [theme, isOfCopies, trial] in
          do {
            let history = HistoryGenerator.history(seed: seed, theme: theme, isOfCopies: isOfCopies)
            return try await trial.run(history)
          } catch is CancellationError {
            return nil
          }
        }
      }
      for _ in 0..<max(1, jobs) { start() }
      for try await outcome in group {
        if let outcome {
          summary.add(outcome)
          progress?(summary)
        }
        start()
      }
    }
    return summary
  }

  /// The history of a seed that did not hold, made small, as a scenario's text and the command that repeats it.
  package func explain(_ seed: UInt64) async throws -> String {
    let history = HistoryGenerator.history(seed: seed, theme: theme, isOfCopies: isOfCopies)
    let outcome = try await trial.run(history)
    let (small, found) = try await Shrinker.shrink(history, outcome, trial)
    guard let violation = found.violation else { return "seed \(seed) holds when it is run again\n" }
    return "\(violation)\n\(small.scenarioText(of: found, title: violation.sentence))"
  }

  /// The command that runs one seed again.
  package func command(for seed: UInt64) -> String {
    let parts = [
      "tools/simulate --seed \(seed) --histories 1", theme.map { "--theme \($0)" },
      isOfCopies ? "--copies" : nil,
      trial.mutation.map { "--mutant \($0.rawValue)" }, trial.comparesWays ? "--ways" : nil,
    ]
    return parts.compactMap(\.self).joined(separator: " ")
  }
}

/// What came of a campaign.
package struct CampaignSummary: Sendable {
  package var histories = 0
  package var saves = 0
  package var refusedSaves = 0
  package var violations: [(seed: UInt64, violation: Violation)] = []
  /// How many histories checked each invariant.
  package var checked: [Invariant: Int] = [:]
  package var faults: [String: Int] = [:]

  mutating func add(_ outcome: HistoryOutcome) {
    histories += 1
    saves += outcome.saves
    refusedSaves += outcome.refusedSaves
    if let violation = outcome.violation { violations.append((outcome.seed, violation)) }
    for invariant in outcome.checked { checked[invariant, default: 0] += 1 }
    faults.merge(outcome.faults, uniquingKeysWith: +)
  }

  /// For people: one line an invariant and one a fault.
  package var text: String {
    var lines = ["\(histories) histories, \(saves) saves, of which \(refusedSaves) were rightly refused"]
    for (invariant, count) in checked.sorted(by: { $0.key < $1.key }) {
      let verdict = violations.contains { $0.violation.invariant == invariant } ? "VIOLATED" : "held"
      lines.append("\(invariant.rawValue) \(verdict) in \(count) histories: \(invariant.title)")
    }
    let faults = faults.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
    lines.append("faults: " + (faults.isEmpty ? "none" : faults.joined(separator: ", ")))
    return lines.joined(separator: "\n")
  }
}
