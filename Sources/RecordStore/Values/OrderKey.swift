/// A position in an ordered list: text that sorts between its neighbours', so that one element moves by one write.
///
/// Two devices can insert and move apart and keep all elements, in one order everywhere: the position is an attribute
/// of the element like any other, the later move of one element wins, and elements with equal positions follow each
/// other by id.
///
/// The text is a fraction between 0 and 1 in base 62, the digits after the point: `0`–`9`, `A`–`Z`, `a`–`z`, in the
/// order of their bytes, without a trailing `0`, so that each fraction has one text and there is room before and after
/// every one. A key grows by a digit for some five insertions at one place, and for some sixty at either end.
package struct OrderKey: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The stored text.
  package let text: String

  private static let digits = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
  private static let base = digits.count
  private static let values: [UInt8: Int] = Dictionary(
    uniqueKeysWithValues: digits.enumerated().map { ($1, $0) })

  /// Nil for text that is no position: empty, with other characters, or with a trailing `0`.
  package init?(_ text: String) {
    guard let last = text.utf8.last, last != OrderKey.digits[0],
      text.utf8.allSatisfy({ OrderKey.values[$0] != nil })
    else { return nil }
    self.text = text
  }

  private init(fraction: [Int]) { text = String(decoding: fraction.map { OrderKey.digits[$0] }, as: UTF8.self) }

  /// A position between two others, or before, behind or without any. Where the two are not in order, which concurrent
  /// moves can bring about (equal positions), it is one behind the first.
  ///
  /// Cost: the length of the longer key.
  package static func between(_ left: OrderKey?, _ right: OrderKey?) -> OrderKey {
    let low = left.map { fraction($0) } ?? []
    guard let right, left.map({ $0 < right }) ?? true else { return after(low) }
    if left == nil { return before(fraction(right)) }
    return OrderKey(fraction: middle(low, fraction(right)))
  }

  /// So many positions in order, evenly spread: for a list that is filled at once.
  package static func evenly(_ count: Int) -> [OrderKey] {
    guard count > 0 else { return [] }
    var width = 1
    var room = base
    while room <= count {
      width += 1
      room *= base
    }
    return (1...count).map { index in
      var rest = index * (room / (count + 1))
      var fraction = [Int](repeating: 0, count: width)
      for place in stride(from: width - 1, through: 0, by: -1) {
        fraction[place] = rest % base
        rest /= base
      }
      while fraction.last == 0 { fraction.removeLast() }
      return OrderKey(fraction: fraction)
    }
  }

  /// Whether a position stands before another.
  package static func < (left: OrderKey, right: OrderKey) -> Bool {
    left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
  }

  /// The text.
  package var description: String { text }

  private static func fraction(_ key: OrderKey) -> [Int] { key.text.utf8.map { values[$0] ?? 0 } }

  /// One step behind, by the first digit that has room: keys that are appended stay short.
  private static func after(_ low: [Int]) -> OrderKey {
    guard let place = low.firstIndex(where: { $0 < base - 1 }) else { return OrderKey(fraction: low + [1]) }
    return OrderKey(fraction: Array(low[..<place]) + [low[place] + 1])
  }

  private static func before(_ high: [Int]) -> OrderKey {
    guard let place = high.firstIndex(where: { $0 > 0 }) else {
      preconditionFailure("a position does not end in the digit 0")
    }
    let head = Array(high[..<place])
    if high[place] > 1 { return OrderKey(fraction: head + [high[place] - 1]) }
    return OrderKey(fraction: head + [0, base - 1])
  }

  /// The middle of the shortest gap that has one: the digits that both share, then half way between the next two.
  private static func middle(_ low: [Int], _ high: [Int]) -> [Int] {
    var fraction: [Int] = []
    var isBelow = true
    for place in 0... {
      let left = place < low.count ? low[place] : 0
      let right = !isBelow ? base : place < high.count ? high[place] : 0
      if right - left > 1 { return fraction + [(left + right) / 2] }
      fraction.append(left)
      // Once a digit is below the upper key's, whatever follows is.
      if right > left { isBelow = false }
    }
    preconditionFailure("two positions in order have another between them")
  }
}
