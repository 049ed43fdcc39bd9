import Foundation
import Tandem
import TestSupport
import Testing

/// Random histories over all forms of relationships. A fetch before a save gives what it gives after it, in every
/// context; both sides of a link know of it; a refused save changes nothing, and a rollback leaves what was saved. A
/// transaction saves, or throws and saves nothing: then its changes stay pending, or are taken back if it is one to be
/// done once.
///
/// A history that fails is made as short as it can be and printed. The long form makes it 2,000 of each theme.
struct SaveDifferentialTests {
  private static let histories = TestLength.isLong ? 2_000 : 5

  @Test(arguments: OfficeTheme.allCases) func `a fetch before a save gives what it gives after it, in every context`(
    _ theme: OfficeTheme
  ) async throws {
    var random = SeededGenerator.announced()
    var (saves, refusals) = (0, 0)
    for _ in 0..<Self.histories {
      var steps = OfficeSteps(SeededGenerator(seed: random.next()), theme)
      do {
        try await withContainer(for: Office.types) { container in
          let history = try OfficeHistory(container, theme)
          try history.run(&steps, count: 120)
          saves += history.saveCount
          refusals += history.refusals.values.reduce(0, +)
        }
      } catch let failure as OfficeFailure {
        let shortest = try await failure.shortest { try await Self.replay($0, theme) }
        Issue.record("seed \(random.seed), theme: \(theme)\n\(shortest.text)")
        return
      }
    }
    print("\(theme): \(saves) saves, \(refusals) refused")
    #expect(saves > Self.histories)
  }

  private static func replay(_ steps: [OfficeStep], _ theme: OfficeTheme) async throws -> OfficeFailure? {
    try await withContainer(for: Office.types) { container in
      do {
        let history = try OfficeHistory(container, theme)
        for step in steps { try history.take(step) }
      } catch let failure as OfficeFailure {
        return failure
      }
      return nil
    }
  }
}
