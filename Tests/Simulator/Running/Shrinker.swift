import ScenarioRunner

/// Makes a history that fails smaller, as long as it fails in the same invariant: whole replicas, runs of steps,
/// changes within saves, values within changes.
package struct Shrinker {
  private let violation: Violation
  private let trial: HistoryTrial
  private var best: History
  private var outcome: HistoryOutcome
  private var runsLeft: Int

  /// The smallest history found, with its outcome. `runs`: how many histories may be tried.
  package static func shrink(
    _ history: History, _ outcome: HistoryOutcome, _ trial: HistoryTrial = HistoryTrial(), runs: Int = 600
  ) async throws -> (history: History, outcome: HistoryOutcome) {
    guard let violation = outcome.violation else { return (history, outcome) }
    var shrinker = Shrinker(
      violation: violation, trial: trial, best: history, outcome: outcome, runsLeft: runs)
    try await shrinker.run()
    return (shrinker.best, shrinker.outcome)
  }

  private mutating func run() async throws {
    if let step = violation.step { try await attempt { $0.keep(Set(0..<step)) } }
    var size = Int.max
    while best.size < size, runsLeft > 0 {
      size = best.size
      for name in best.replicas.reversed() where best.replicas.count > 1 { try await attempt { $0.remove(name) } }
      try await removeSteps()
      try await removeEdits()
      try await removeValues()
    }
  }

  /// Tries a smaller history and keeps it if it fails alike.
  @discardableResult
  private mutating func attempt(_ change: (inout History) -> Void) async throws -> Bool {
    var candidate = best
    change(&candidate)
    candidate.removeUnnamed()
    guard candidate != best, runsLeft > 0, !Task.isCancelled else { return false }
    runsLeft -= 1
    guard let found = try await run(candidate) else { return false }
    guard let other = found.violation, other.invariant == violation.invariant,
      (other.step == nil) == (violation.step == nil)
    else { return false }
    (best, outcome) = (candidate, found)
    return true
  }

  /// Nil for what is no history any more, such as one whose names contradict each other.
  private func run(_ candidate: History) async throws -> HistoryOutcome? {
    do {
      return try await trial.run(candidate)
    } catch is ScenarioError {
      return nil
    }
  }

  private mutating func removeSteps() async throws {
    // What is found in the end is only worth something where everything was brought together.
    let isInTheEnd = violation.step == nil
    var length = max(1, best.steps.count / 2)
    while true {
      var end = isInTheEnd ? best.settlingBegins : best.steps.count
      while end > 0 {
        let range = max(0, end - length)..<end
        try await attempt { $0.keep(Set($0.steps.indices).subtracting(range)) }
        end = min(range.lowerBound, isInTheEnd ? best.settlingBegins : best.steps.count)
      }
      if length == 1 { return }
      length /= 2
    }
  }

  private mutating func removeEdits() async throws {
    for index in best.steps.indices.reversed() {
      guard index < best.steps.count, case .save(_, _, let edits) = best.steps[index], edits.count > 1 else { continue }
      for place in edits.indices.reversed() {
        try await attempt { history in
          guard index < history.steps.count, case .save(let name, let time, var edits) = history.steps[index],
            place < edits.count, edits.count > 1
          else { return }
          edits.remove(at: place)
          history.steps[index] = .save(on: name, at: time, changes: edits)
        }
      }
    }
  }

  private mutating func removeValues() async throws {
    for index in best.steps.indices {
      guard case .save(_, _, let edits) = best.steps[index] else { continue }
      for (place, edit) in edits.enumerated() {
        for field in edit.values.keys.sorted() {
          try await attempt { history in
            guard index < history.steps.count, case .save(let name, let time, var edits) = history.steps[index],
              place < edits.count
            else { return }
            edits[place] = edits[place].without(field)
            history.steps[index] = .save(on: name, at: time, changes: edits)
          }
        }
      }
    }
  }
}

extension History {
  /// What shrinking makes smaller.
  fileprivate var size: Int {
    replicas.count + steps.count
      + steps.reduce(0) { sum, step in
        guard case .save(_, _, let edits) = step else { return sum }
        return sum + edits.reduce(0) { $0 + 1 + $1.values.count }
      }
  }

  fileprivate mutating func keep(_ indices: Set<Int>) {
    settlingBegins = indices.count { $0 < settlingBegins }
    steps = steps.indices.filter(indices.contains).map { steps[$0] }
  }

  fileprivate mutating func remove(_ replica: String) {
    replicas.removeAll { $0 == replica }
    for index in steps.indices {
      if case .sync(let names) = steps[index] { steps[index] = .sync(names.filter { $0 != replica }) }
    }
    keep(Set(steps.indices.filter { !steps[$0].replicas.contains(replica) && !steps[$0].replicas.isEmpty }))
  }

  /// Takes out what names records that nobody inserts any more, and saves that do nothing.
  fileprivate mutating func removeUnnamed() {
    var named: Set<String> = []
    for step in steps {
      for case .insert(_, let name, _) in step.edits { named.insert(name) }
    }
    for index in steps.indices {
      guard case .save(let replica, let time, let edits) = steps[index] else { continue }
      let kept = edits.filter { $0.namesUsed.allSatisfy(named.contains) }
      steps[index] = .save(on: replica, at: time, changes: kept)
    }
    keep(
      Set(
        steps.indices.filter { index in
          if case .save(_, _, let edits) = steps[index] { !edits.isEmpty } else { true }
        }))
  }
}

extension HistoryStep.RecordEdit {
  fileprivate var values: [String: JSONValue] {
    switch self {
    case .insert(_, _, let values), .update(_, let values): values
    default: [:]
    }
  }

  fileprivate func without(_ field: String) -> Self {
    switch self {
    case .insert(let entity, let name, let values):
      .insert(entity: entity, name: name, values: values.filter { $0.key != field })
    case .update(let name, let values) where values.count > 1:
      .update(name: name, values: values.filter { $0.key != field })
    default: self
    }
  }
}
