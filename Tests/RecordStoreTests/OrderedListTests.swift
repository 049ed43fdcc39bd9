import RecordStore
import TestSupport
import Testing

/// Positions in a list whose elements have one, share one, or have none.
struct OrderedListTests {
  private func list(_ keys: [String?]) -> OrderedList {
    OrderedList(
      keys.enumerated().map { .init(id: fixtureID(UInt64($0)), key: $1.flatMap { OrderKey($0) }) })
  }

  static let orders: [(keys: [String?], order: [UInt64])] = [
    ([], []), (["V"], [0]), (["V", "A"], [1, 0]), (["V", "V"], [0, 1]), ([nil, "V"], [1, 0]), ([nil, nil], [0, 1]),
    (["z", nil, "A", "V", nil, "V"], [2, 3, 5, 0, 1, 4]),
  ]

  @Test func `elements stand by position, equal ones by id, those without one last`() {
    for (keys, order) in Self.orders { #expect(list(keys).ids == order.map { fixtureID($0) }, "\(keys)") }
  }

  /// Every list of up to three elements with a few positions or none, every place, an element of it or a new one.
  @Test func `an element stands where it was put, the others keep their order, and the writes say all of it`() {
    let keys: [String?] = [nil, "1", "A", "V", "z"]
    var lists: [[String?]] = [[]]
    for count in 1...3 {
      let shorter = lists.filter { $0.count == count - 1 }
      lists += shorter.flatMap { list in keys.map { list + [$0] } }
    }
    for keys in lists {
      for moved in 0...UInt64(keys.count) {
        let before = list(keys)
        let others = before.ids.filter { $0 != fixtureID(moved) }
        for index in 0...others.count {
          var after = before
          let written = after.place(fixtureID(moved), at: index)
          var expected = others
          expected.insert(fixtureID(moved), at: index)
          #expect(after.ids == expected, "\(keys): \(moved) to \(index)")
          #expect(written.contains { $0.id == fixtureID(moved) && $0.key != nil })
          #expect(Set(written.map(\.id)).count == written.count, "each is written once")
          // Another device makes the list anew from what is written.
          var elements = before.elements.filter { element in !written.contains { $0.id == element.id } }
          elements += written
          #expect(OrderedList(elements).ids == expected, "\(keys): \(moved) to \(index), made anew")
        }
      }
    }
  }

  @Test func `an element between two with positions is the only one written`() {
    for count in [1, 2, 10, 100] {
      let keys = OrderKey.evenly(count)
      let elements = keys.enumerated().map { OrderedList.Element(id: fixtureID(UInt64($0)), key: $1) }
      for index in 0...count {
        var list = OrderedList(elements)
        #expect(list.place(fixtureID(1_000), at: index).map(\.id) == [fixtureID(1_000)])
      }
    }
  }
}
