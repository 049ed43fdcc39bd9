/// The results of a fetch, read in batches as they are asked for.
///
/// ```swift
/// let trips: FetchResultsCollection<Trip> = try context.fetch(
///   FetchDescriptor(sortBy: [SortDescriptor(\.start)]), batchSize: 100)
/// for trip in trips.prefix(10) { print(trip.name) }
/// ```
///
/// Belongs to the isolation of the context that fetched. Which objects there are is fixed by the fetch.
public struct FetchResultsCollection<Element>: RandomAccessCollection {
  private let batches: Batches<Element>

  init(_ elements: [Element]) {
    batches = Batches(count: elements.count, size: Swift.max(elements.count, 1)) { Array(elements[$0]) }
  }

  init(count: Int, batchSize: Int, load: @escaping (Range<Int>) -> [Element]) {
    batches = Batches(count: count, size: Swift.max(batchSize, 1), load: load)
  }

  /// Zero.
  public var startIndex: Int { 0 }
  /// The number of results.
  public var endIndex: Int { batches.count }
  /// The element at a place. Reads its batch unless that is the one that was read last; a place outside is a trap.
  public subscript(position: Int) -> Element {
    precondition(position >= 0 && position < batches.count, "Position \(position) of \(batches.count) results.")
    return batches.element(position)
  }
}

/// The batch that was read last.
private final class Batches<Element> {
  let count: Int
  private let size: Int
  private let load: (Range<Int>) -> [Element]
  private var start = 0
  private var current: [Element] = []

  init(count: Int, size: Int, load: @escaping (Range<Int>) -> [Element]) {
    self.count = count
    self.size = size
    self.load = load
  }

  func element(_ position: Int) -> Element {
    if position < start || position >= start + current.count {
      start = position / size * size
      current = load(start..<min(start + size, count))
    }
    return current[position - start]
  }
}
