import Foundation
import RecordStore
import ScenarioRunner
import Simulator
import Testing

struct ShrinkingTests {
  @Test func `a seed gives one history, whenever it is asked for`() {
    for seed in UInt64(1)...50 {
      #expect(HistoryGenerator.history(seed: seed) == HistoryGenerator.history(seed: seed))
    }
    #expect(HistoryGenerator.history(seed: 1) != HistoryGenerator.history(seed: 2))
  }

  @Test func `a history that fails is made small and fails alike`() async throws {
    var campaign = Campaign()
    campaign.trial.mutation = .lastArrivalWins
    campaign.theme = "notes"
    campaign.histories = 100
    let summary = try await campaign.run()
    let seed = try #require(summary.violations.first).seed
    let history = HistoryGenerator.history(seed: seed, theme: "notes")
    let outcome = try await campaign.trial.run(history)
    let (small, found) = try await Shrinker.shrink(history, outcome, campaign.trial)
    #expect(found.violation?.invariant == outcome.violation?.invariant)
    #expect(small.steps.count <= 10)
    #expect(small.replicas.count == 2)
    let again = try await campaign.trial.run(small)
    // A reader sees what is wrong in the middle of a merge, or not: the threads decide.
    if again.violation?.invariant == found.violation?.invariant {
      #expect(again.violation == found.violation)
    } else {
      #expect([again, found].contains { $0.violation?.invariant == .readersSeeWholeTransactions })
      #expect(again.violation != nil)
    }
  }

  @Test func `what a history did is a scenario that holds, with the oracle's word as its expectation`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "histories-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for seed in UInt64(1)...24 {
      let history = HistoryGenerator.history(seed: seed)
      let outcome = try await HistoryTrial().run(history)
      let file = folder.appending(path: "R\(seed).json")
      try Data(history.scenarioText(of: outcome).utf8).write(to: file)
      let result = await ScenarioRunner().run(file)
      #expect(result.failures == [], "seed \(seed)")
    }
    try FileManager.default.removeItem(at: folder)
  }
}
