/// The order of those that share a bound on what one run moves: it begins behind the one that had its turn before.
///
/// In a fixed order the first ones, with something new before every run, would keep the others away.
enum TurnOrder {
  /// `last`: the one that had its turn; it may be gone by now. Without one the order is theirs.
  static func ordered<Item: Comparable>(_ items: some Sequence<Item>, behind last: Item?) -> [Item] {
    let sorted = items.sorted()
    guard let last else { return sorted }
    return sorted.filter { $0 > last } + sorted.filter { $0 <= last }
  }
}
