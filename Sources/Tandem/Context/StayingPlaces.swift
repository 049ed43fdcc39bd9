/// The places of a list that stay when others go, by their rank among those that stay.
struct StayingPlaces {
  let count: Int
  /// How many that stay stand before each that goes; not falling.
  private let ranks: [Int]

  /// - Parameter removals: Rising.
  init(of count: Int, without removals: [Int]) {
    self.count = count - removals.count
    ranks = removals.indices.map { removals[$0] - $0 }
  }

  /// A binary search among those that go.
  subscript(rank: Int) -> Int {
    var (low, high) = (0, ranks.count)
    while low < high {
      let middle = (low + high) / 2
      if ranks[middle] <= rank { low = middle + 1 } else { high = middle }
    }
    return rank + low
  }
}
