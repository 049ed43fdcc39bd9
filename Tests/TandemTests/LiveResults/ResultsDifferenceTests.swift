import TestSupport
import Testing

@testable import Tandem

struct ResultsDifferenceTests {
  /// What a list that shows `old` shows after the steps of a difference.
  private func apply(_ difference: ResultsDifference, to old: [Int], _ new: [Int]) -> [Int] {
    let moved = Set(difference.moves.map(\.from)).union(difference.removals)
    var rest = old.indices.filter { !moved.contains($0) }.map { old[$0] }
    let arrivals =
      difference.insertions.map { ($0, new[$0]) } + difference.moves.map { ($0.to, old[$0.from]) }
    for (place, name) in arrivals.sorted(by: { $0.0 < $1.0 }) { rest.insert(name, at: place) }
    return rest
  }

  @Test func `a list that takes the steps shows the new results`() {
    var generator = SeededGenerator.announced()
    for _ in 0..<500 {
      let old = Array((0..<Int.random(in: 0...12, using: &generator)).shuffled(using: &generator))
      let new = Array(Set((0..<12).filter { _ in Bool.random(using: &generator) })).shuffled(using: &generator)
      let difference = ResultsDifference(from: old, to: new, updated: [3])
      #expect(apply(difference, to: old, new) == new, "seed \(generator.seed): \(old) to \(new)")
      let kept = Set(old).intersection(new)
      #expect(
        difference.removals.count == old.count - kept.count && difference.insertions.count == new.count - kept.count)
      #expect(difference.updates == new.indices.filter { new[$0] == 3 && old.contains(3) })
    }
  }

  @Test func `as few objects move as can`() {
    let difference = ResultsDifference(from: [1, 2, 3, 4, 5], to: [5, 1, 2, 3, 4], updated: [])
    #expect(difference.moves == [ResultsDifference.Move(from: 4, to: 0)])
    #expect(ResultsDifference(from: [1, 2], to: [1, 2], updated: []).isEmpty)
    #expect(ResultsDifference(from: Array(0..<20_000), to: (0..<20_000).reversed(), updated: []).moves.count == 19_999)
  }
}
