/// How live results changed: what a list does to its rows.
///
/// ```swift
/// func apply(_ change: ResultsDifference, _ results: FetchResultsCollection<Trip>) {
///   let moved: [ResultsDifference.Move] = change.moves
///   for row in (change.removals + moved.map(\.from)).sorted(by: >) { rows.remove(at: row) }
///   for row in (change.insertions + moved.map(\.to)).sorted() { rows.insert(results[row].name, at: row) }
///   for row in change.updates { rows[row] = results[row].name }
/// }
/// ```
///
/// Take the removed places away, put the inserted ones in, and the kept objects are in order but for those that moved.
public struct ResultsDifference: Hashable, Sendable {
  /// An object that changed its place among those that stayed.
  public struct Move: Hashable, Sendable {
    /// A place in the former results.
    public let from: Int
    /// A place in the new results.
    public let to: Int
  }

  /// Places in the former results, rising.
  public let removals: [Int]
  /// Places in the new results, rising.
  public let insertions: [Int]
  /// As few as possible, by their new places.
  public let moves: [Move]
  /// Places in the new results of objects that stayed and changed, rising.
  public let updates: [Int]

  /// Whether nothing changed.
  public var isEmpty: Bool { removals.isEmpty && insertions.isEmpty && moves.isEmpty && updates.isEmpty }
  /// Whether other objects are there, or in another order.
  var changesOrder: Bool { !removals.isEmpty || !insertions.isEmpty || !moves.isEmpty }

  private init(removals: [Int], insertions: [Int], moves: [Move], updates: [Int]) {
    self.removals = removals
    self.insertions = insertions
    self.moves = moves
    self.updates = updates
  }

  /// Costs a comparison for each that is the same at the beginnings and the ends; for those between, what hashing them
  /// takes, times the logarithm where objects moved. Names are unique in each list.
  ///
  /// - Parameter updated: Places in the new results, rising.
  init<ID: Hashable>(from old: [ID], to new: [ID], updated: [Int]) {
    var start = 0
    while start < old.count, start < new.count, old[start] == new[start] { start += 1 }
    var end = 0
    while end < old.count - start, end < new.count - start, old[old.count - 1 - end] == new[new.count - 1 - end] {
      end += 1
    }
    var places: [ID: Int] = [:]
    for place in start..<(old.count - end) { places[old[place]] = place }
    var insertions: [Int] = []
    var kept: [Move] = []
    for place in start..<(new.count - end) {
      if let from = places.removeValue(forKey: new[place]) {
        kept.append(Move(from: from, to: place))
      } else {
        insertions.append(place)
      }
    }
    let still = Self.longestRise(kept.map(\.from))
    let inserted = Set(insertions)
    self.init(
      removals: places.values.sorted(), insertions: insertions,
      moves: kept.indices.filter { !still.contains($0) }.map { kept[$0] },
      updates: updated.filter { !inserted.contains($0) })
  }

  /// The difference that an edit makes: costs what hashing takes of those that go and come. Where more than one of them
  /// moved it may take fewer moves of others, which a comparison of the lists tells.
  ///
  /// - Parameters:
  ///   - coming: What the edit puts in, of which some may have gone from another place.
  ///   - updated: Those of which changes are told.
  init<ID: Hashable>(_ edit: ListEdit, of old: [ID], coming: [ID], updated: Set<ID>) {
    var leaving: [ID: Int] = [:]
    for number in edit.removals.indices { leaving[old[edit.removals[number]]] = number }
    var insertions: [Int] = []
    var updates: [Int] = []
    var moves: [Move] = []
    // Those that came back between the same two that stay, as far as is known.
    var kept: [Move] = []
    for (number, id) in coming.enumerated() {
      let place = edit.insertions[number]
      guard let former = leaving.removeValue(forKey: id) else {
        insertions.append(place)
        continue
      }
      if updated.contains(id) { updates.append(place) }
      let from = edit.removals[former]
      if from - former == place - number {
        kept.append(Move(from: from, to: place))
      } else {
        moves.append(Move(from: from, to: place))
      }
    }
    let still = Self.longestRise(kept.map(\.from))
    moves += kept.indices.filter { !still.contains($0) }.map { kept[$0] }
    guard moves.count <= 1 else {
      var new = old
      edit.apply(to: &new, coming)
      self.init(from: old, to: new, updated: updates)
      return
    }
    let removals = leaving.values.map { edit.removals[$0] }.sorted()
    self.init(removals: removals, insertions: insertions, moves: moves, updates: updates)
  }

  /// Places of a longest rising subsequence: the objects that need not move.
  private static func longestRise(_ values: [Int]) -> Set<Int> {
    // By length less one, the place that ends a rise of that length with the smallest value.
    var ends: [Int] = []
    var before = [Int](repeating: -1, count: values.count)
    for place in values.indices {
      var low = 0
      var high = ends.count
      while low < high {
        let middle = (low + high) / 2
        if values[ends[middle]] < values[place] { low = middle + 1 } else { high = middle }
      }
      if low > 0 { before[place] = ends[low - 1] }
      if low == ends.count { ends.append(place) } else { ends[low] = place }
    }
    var rise: Set<Int> = []
    var place = ends.last ?? -1
    while place >= 0 {
      rise.insert(place)
      place = before[place]
    }
    return rise
  }
}
