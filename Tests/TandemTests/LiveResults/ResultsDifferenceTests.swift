import TestSupport
import Testing

@testable import Tandem

extension ResultsDifference {
  /// The steps that a list takes which shows the former results; of the new ones only the inserted are looked at.
  func apply<Name>(to list: inout [Name], _ new: [Name]) {
    let old = list
    let leaving = Set(moves.map(\.from)).union(removals)
    list = old.indices.filter { !leaving.contains($0) }.map { old[$0] }
    let arrivals = insertions.map { ($0, new[$0]) } + moves.map { ($0.to, old[$0.from]) }
    for (place, name) in arrivals.sorted(by: { $0.0 < $1.0 }) { list.insert(name, at: place) }
  }
}

struct ResultsDifferenceTests {
  @Test func `a list that takes the steps shows the new results`() {
    var generator = SeededGenerator.announced()
    for _ in 0..<500 {
      let old = Array((0..<Int.random(in: 0...12, using: &generator)).shuffled(using: &generator))
      let new = Array(Set((0..<12).filter { _ in Bool.random(using: &generator) })).shuffled(using: &generator)
      let difference = ResultsDifference(from: old, to: new, updated: new.indices.filter { new[$0] == 3 })
      var list = old
      difference.apply(to: &list, new)
      #expect(list == new, "seed \(generator.seed): \(old) to \(new)")
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
