import RecordStore
import TestSupport
import Testing

struct OrderKeyTests {
  @Test func `a position lies between its neighbours, before the first and behind the last`() throws {
    let first = OrderKey.between(nil, nil)
    let before = OrderKey.between(nil, first)
    let behind = OrderKey.between(first, nil)
    #expect(before < first)
    #expect(first < behind)
    let middle = OrderKey.between(before, first)
    #expect(before < middle)
    #expect(middle < first)
  }

  @Test func `every text is one position, and what is none is refused`() {
    for text in ["", "0", "A0", "a b", "ä", "1-"] { #expect(OrderKey(text) == nil, "\(text)") }
    for text in ["1", "0z", "z", "00001"] { #expect(OrderKey(text)?.text == text) }
    #expect(OrderKey("9")! < OrderKey("A")!)
    #expect(OrderKey("Z")! < OrderKey("a")!)
    #expect(OrderKey("1")! < OrderKey("11")!)
  }

  @Test func `between any two of all short positions there is another`() throws {
    let digits = ["0", "1", "Y", "Z", "a", "z"]
    var texts = digits
    for left in digits { for right in digits { texts += [left + right] + digits.map { left + right + $0 } } }
    let keys = texts.compactMap { OrderKey($0) }.sorted()
    #expect(keys.count > 100)
    for (left, right) in zip(keys, keys.dropFirst()) {
      let middle = OrderKey.between(left, right)
      #expect(left < middle && middle < right, "\(left) \(middle) \(right)")
      #expect(OrderKey(middle.text) != nil)
    }
    for left in keys {
      for right in keys where left < right {
        let middle = OrderKey.between(left, right)
        #expect(left < middle && middle < right, "\(left) \(middle) \(right)")
      }
      #expect(OrderKey.between(nil, left) < left)
      #expect(left < OrderKey.between(left, nil))
      #expect(left < OrderKey.between(left, left))
    }
  }

  @Test func `a random list keeps its order, and its keys stay short`() {
    var generator = SeededGenerator.announced()
    var keys: [OrderKey] = []
    for _ in 0..<2_000 {
      let place = Int.random(in: 0...keys.count, using: &generator)
      let key = OrderKey.between(
        place > 0 ? keys[place - 1] : nil, place < keys.count ? keys[place] : nil)
      keys.insert(key, at: place)
    }
    #expect(keys == keys.sorted())
    #expect(Set(keys).count == keys.count)
    #expect(keys.map(\.text.utf8.count).max() ?? 0 < 40)
  }

  @Test func `a thousand positions at one end or one place stay as short as the documentation says`() {
    var (front, back) = (OrderKey.between(nil, nil), OrderKey.between(nil, nil))
    var upper = OrderKey.between(back, nil)
    let lower = back
    for _ in 0..<1_000 {
      front = .between(nil, front)
      back = .between(back, nil)
      upper = .between(lower, upper)
    }
    #expect(front.text.utf8.count <= 1_000 / 60 + 2)
    #expect(back.text.utf8.count <= 1_000 / 60 + 2)
    #expect(upper.text.utf8.count <= 1_000 / 5 + 2)
  }

  @Test(arguments: [0, 1, 2, 60, 61, 62, 63, 4_000]) func `a list that is filled at once is spread evenly`(count: Int) {
    let keys = OrderKey.evenly(count)
    #expect(keys.count == count)
    #expect(keys == keys.sorted())
    #expect(Set(keys).count == count)
    #expect(keys.allSatisfy { OrderKey($0.text) == $0 && $0.text.utf8.count <= 3 })
  }
}
