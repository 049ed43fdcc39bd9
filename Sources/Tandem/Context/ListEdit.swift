/// How a list becomes the next one: what goes, and where others come.
///
/// Knows places only, so that it can be applied to each of several lists that are in step.
struct ListEdit {
  /// Places in the former list, rising.
  let removals: [Int]
  /// Places in the new list, rising.
  let insertions: [Int]

  /// - Parameters:
  ///   - removals: Places in the list, rising.
  ///   - ranks: For each that comes, how many of those that stay stand before it; not falling.
  init(removals: [Int], ranks: [Int]) {
    self.removals = removals
    insertions = ranks.indices.map { ranks[$0] + $0 }
  }

  /// More are put together anew, where moving what is behind each would cost more.
  private static let fewInPlace = 16

  /// Puts `others` where the edit has places for them. Memory moves for a few, one copy of the list for many.
  func apply<T>(to list: inout [T], _ others: [T]) {
    if removals.count + insertions.count <= Self.fewInPlace {
      for place in removals.reversed() { list.remove(at: place) }
      // Where the class is known at run time only, an insertion is many steps wherever it goes, and so are pairs.
      for number in insertions.indices {
        let place = insertions[number]
        if place == list.count { list.append(others[number]) } else { list.insert(others[number], at: place) }
      }
      return
    }
    let kept = staying(in: list)
    list = []
    list.reserveCapacity(kept.count + others.count)
    var start = 0
    for (number, other) in others.enumerated() {
      let end = insertions[number] - number
      list += kept[start..<end]
      list.append(other)
      start = end
    }
    list += kept[start...]
  }

  private func staying<T>(in list: [T]) -> [T] {
    guard !removals.isEmpty else { return list }
    var kept: [T] = []
    kept.reserveCapacity(list.count - removals.count)
    var start = 0
    for place in removals {
      kept += list[start..<place]
      start = place + 1
    }
    kept += list[start...]
    return kept
  }
}
