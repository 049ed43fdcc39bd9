import RecordStore
import TestSupport
import Testing

@testable import Tandem

struct ResultPlacesTests {
  private func id(_ number: Int) -> RecordID { RecordID(high: 7, low: UInt64(number)) }

  /// An edit that takes some records out, puts some of these in again and others for the first time.
  private func edit(
    of list: [RecordID], most: Int, next: inout Int, using generator: inout SeededGenerator
  ) -> (edit: ListEdit, coming: [RecordID]) {
    let leaving = (0..<Int.random(in: 0...most, using: &generator)).compactMap { _ in
      list.indices.randomElement(using: &generator)
    }
    let removals = Set(leaving).sorted()
    var coming = removals.map { list[$0] }.filter { _ in generator.oneIn(2) }.shuffled(using: &generator)
    for _ in 0..<Int.random(in: 0...most, using: &generator) {
      next += 1
      coming.insert(id(next), at: Int.random(in: 0...coming.count, using: &generator))
    }
    let count = list.count - removals.count
    // Often in the same places, as where a value changes by which nothing is sorted.
    let ranks = coming.map { coming in
      let former = removals.firstIndex { list[$0] == coming }
      return former.map { removals[$0] - $0 } ?? Int.random(in: 0...count, using: &generator)
    }
    return (ListEdit(removals: removals, ranks: ranks.sorted()), coming)
  }

  @Test(arguments: [0, 3, 40, 600])
  func `records are found where edits left them`(size: Int) {
    var generator = SeededGenerator.announced()
    var next = size
    var places = ResultPlaces((0..<size).map(id))
    var list = places.identifiers
    for _ in 0..<200 {
      let most = generator.oneIn(20) ? 40 : 2
      let (edit, coming) = edit(of: list, most: most, next: &next, using: &generator)
      places.apply(edit, coming)
      edit.apply(to: &list, coming)
      #expect(places.identifiers == list)
      let count = Int.random(in: 0...4, using: &generator)
      let sought = (0..<count).map { _ in Int.random(in: 0...next, using: &generator) }
      for number in sought { #expect(places.place(of: id(number)) == list.firstIndex(of: id(number))) }
      let found = places.places(of: Set(sought.map(id)))
      #expect(found == list.indices.filter { sought.map(id).contains(list[$0]) }, "seed \(generator.seed)")
    }
  }

  @Test func `an edit tells the difference that a comparison finds, with no more moves`() {
    var generator = SeededGenerator.announced()
    var next = 20
    for _ in 0..<1000 {
      let old = (0..<Int.random(in: 0...20, using: &generator)).map(id)
      let (edit, coming) = edit(of: old, most: 5, next: &next, using: &generator)
      var new = old
      edit.apply(to: &new, coming)
      let updated = Set((0...next).map(id).filter { _ in generator.oneIn(2) })
      let told = ResultsDifference(edit, of: old, coming: coming, updated: updated.intersection(coming))
      let found = ResultsDifference(
        from: old, to: new, updated: new.indices.filter { updated.contains(new[$0]) && coming.contains(new[$0]) })
      let comment: Comment = "seed \(generator.seed)"
      #expect(told.removals == found.removals && told.insertions == found.insertions, comment)
      #expect(told.updates == found.updates, comment)
      #expect(told.moves.count == found.moves.count, comment)
      var list = old
      told.apply(to: &list, new)
      #expect(list == new, comment)
    }
  }
}
