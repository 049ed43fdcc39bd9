import RecordStore
import Simulator
import Testing

/// Each rule that is wrong on purpose is noticed: the simulator would notice, too, if it became wrong by mistake.
struct MutantTests {
  /// The schema over whose histories the rule matters; the seed's own where none is named.
  static let themes: [RuleMutation: String] = [
    .noTieBreak: "notes", .lastArrivalWins: "notes", .noDerivedCascade: "lists", .noAlias: "purchases",
    .keyNotModuloAlias: "purchases", .noLogicalClock: "notes", .childrenNotFollowed: "trips",
    .collectionOnAcknowledgement: "lists", .snapshotDropsOnce: "effects",
  ]

  @Test(arguments: RuleMutation.allCases)
  func `a rule that is wrong is found within three hundred histories`(mutation: RuleMutation) async throws {
    var campaign = Campaign()
    campaign.trial.mutation = mutation
    campaign.theme = MutantTests.themes[mutation]
    campaign.histories = 300
    let summary = try await campaign.run()
    #expect(!summary.violations.isEmpty)
    print("\(mutation.rawValue): found in history \(summary.histories)")
  }
}
