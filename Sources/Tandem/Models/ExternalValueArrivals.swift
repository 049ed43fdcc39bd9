import RecordStore

/// Large values of other devices as they come; see ``ModelContainer/externalValueArrivals()``.
///
/// ```swift
/// for try await value in try context.container.externalValueArrivals() {
///   for ride in rides where try context.externalValue(of: \.map, for: ride)?.sha256 == value.sha256 {
///     show(ride, try value.data())
///   }
/// }
/// ```
public struct ExternalValueArrivals: AsyncSequence, Sendable {
  /// A value that is here now.
  public typealias Element = ExternalValue

  private let lists: [KnownValues]

  /// Notes what some stores await, from now on.
  init(of stores: [RecordStore]) throws { lists = try stores.map { try KnownValues(of: $0) } }

  /// Begins with what has come since the sequence was made.
  public func makeAsyncIterator() -> Iterator { Iterator(lists) }

  /// Goes through the arrivals.
  public struct Iterator: AsyncIteratorProtocol {
    private var lists: [KnownValues]
    private var found: ArraySlice<ExternalReference> = []
    private var notices: AsyncStream<Void>.Iterator
    private let observations: [CommitObservation]

    fileprivate init(_ lists: [KnownValues]) {
      let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
      self.lists = lists
      notices = stream.makeAsyncIterator()
      observations = lists.map { list in list.store.observeArrivals { continuation.yield() } }
    }

    /// The next value; nil once the task is cancelled.
    ///
    /// - Throws: what reading a store throws.
    public mutating func next() async throws -> ExternalValue? {
      while true {
        if Task.isCancelled { return nil }
        if let reference = found.popFirst() { return ExternalValue(reference) }
        for index in lists.indices { found += try lists[index].look() }
        guard found.isEmpty else { continue }
        guard await notices.next() != nil else { return nil }
      }
    }
  }
}

/// A store's list of large values as it was when somebody looked last.
private struct KnownValues: Sendable {
  let store: RecordStore
  private var arrivals: UInt64
  private var known: Set<ExternalReference>
  private var awaited: Set<ExternalReference>

  init(of store: RecordStore) throws {
    let (arrivals, listed) = try store.read { (try $0.valueArrivals, try $0.listedValues()) }
    self.store = store
    self.arrivals = arrivals
    known = Set(listed.map(\.reference))
    awaited = Set(listed.filter(\.isAwaited).map(\.reference))
  }

  /// The values that have come since.
  mutating func look() throws -> [ExternalReference] {
    let seen = arrivals
    let news = try store.read { snapshot -> (arrivals: UInt64, listed: [ListedValue], own: Set<ReplicaID>)? in
      let arrivals = try snapshot.valueArrivals
      guard arrivals != seen else { return nil }
      let own = try Set([snapshot.replica] + snapshot.formerReplicas.map(\.replica))
      return (arrivals, try snapshot.listedValues(), own)
    }
    guard let news else { return [] }
    let come = news.listed.filter { value in
      // One that was named and came since the last look was never seen to be awaited.
      !value.isAwaited
        && (awaited.contains(value.reference) || !known.contains(value.reference) && !news.own.contains(value.author))
    }
    arrivals = news.arrivals
    known = Set(news.listed.map(\.reference))
    awaited = Set(news.listed.filter(\.isAwaited).map(\.reference))
    return come.map(\.reference)
  }
}
