import Foundation

/// Realistic mixes, ours beside GRDB's.
struct Mixes {
  let bench: Workbench
  let data: Dataset

  struct Outcome {
    var comparisons: [Comparison] = []
    var ceilings: [Ceiling] = []
  }

  /// How many times as fast as GRDB we aim to be in each.
  static let target = 2.0

  func all() async throws -> Outcome {
    var outcome = Outcome()
    if bench.seeks(AppMinute.name) {
      outcome.comparisons.append(try await AppMinute(bench: bench, data: data).mix.compare(bench))
    }
    if bench.seeks(ServerSecond.name) {
      outcome.comparisons.append(try await ServerSecond(bench: bench, data: data).mix.compare(bench))
    }
    if bench.seeks(WatchedImport.name) {
      let watched = WatchedImport(bench: bench, records: data.subscriptions.count)
      outcome.comparisons.append(try await watched.mix.compare(bench))
      outcome.ceilings += watched.latencies
    }
    return outcome
  }
}
