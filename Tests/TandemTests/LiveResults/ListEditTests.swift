import RecordStore
import TestSupport
import Testing

@testable import Tandem

struct ListEditTests {
  /// Takes those away, then puts each of the others behind as many as its rank says.
  private func edited(_ list: [Int], without removals: [Int], _ others: [Int], ranks: [Int]) -> [Int] {
    let kept = list.indices.filter { !removals.contains($0) }.map { list[$0] }
    return (0...kept.count).flatMap { rank in
      zip(ranks, others).filter { $0.0 == rank }.map(\.1) + kept[rank...].prefix(1)
    }
  }

  @Test(arguments: [4, 40, 300])
  func `few and many places are edited alike, and those that stay are found by their rank`(size: Int) {
    var generator = SeededGenerator.announced()
    for _ in 0..<200 {
      let list = Array(0..<Int.random(in: 0...size, using: &generator))
      let share = Int.random(in: 1...12, using: &generator)
      let removals = list.indices.filter { _ in generator.oneIn(share) }
      let others = Array(1000..<(1000 + Int.random(in: 0...(size / share), using: &generator)))
      let staying = StayingPlaces(of: list.count, without: removals)
      let ranks = others.map { _ in Int.random(in: 0...staying.count, using: &generator) }.sorted()
      var result = list
      ListEdit(removals: removals, ranks: ranks).apply(to: &result, others)
      #expect(result == edited(list, without: removals, others, ranks: ranks), "seed \(generator.seed)")
      let places = (0..<staying.count).map { staying[$0] }
      #expect(places == list.indices.filter { !removals.contains($0) }, "seed \(generator.seed)")
    }
  }

  @Test func `records are found among others whose ids share bits with theirs`() {
    let ids = (0..<300).map { RecordID(high: UInt64($0), low: UInt64($0 % 70)) }
    let sought: Set<RecordID> = [ids[3], ids[73], ids[299], RecordID(high: 999, low: 3)]
    #expect(ids.places(of: sought) == [3, 73, 299])
    #expect(ids.places(of: []).isEmpty)
  }
}
