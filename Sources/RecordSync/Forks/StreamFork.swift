import RecordStore

/// A stream that several stores wrote under one replica id, because one was copied or restored from a backup: what
/// they share, and the branches.
///
/// A branch gets a replica id that follows from the stream, the place and the bytes of its first transaction. So every
/// device that sees the files gives it the same name, whichever branch it took under the old one before; facts keep
/// their stamps, and taking one twice has no effect.
struct StreamFork: Hashable, Sendable {
  /// One store's files in order, each with the transactions that it holds.
  struct Chain: Hashable, Sendable {
    var first: UInt64
    /// Each with the schema description that explains it, by place in `descriptions`.
    var transactions: [Entry] = []

    struct Entry: Hashable, Sendable {
      var bytes: [UInt8]
      var file: Int
      /// The bytes in the one form that the transaction has wherever its large values lie.
      var canonical: [UInt8]
    }

    var last: UInt64 { first + UInt64(transactions.count) - 1 }

    func entry(at sequence: UInt64) -> Entry? {
      sequence >= first && sequence <= last ? transactions[Int(sequence - first)] : nil
    }

    func bytes(at sequence: UInt64) -> [UInt8]? { entry(at: sequence)?.canonical }
  }

  struct Branch: Hashable, Sendable {
    var replica: ReplicaID
    /// The place of the first transaction in the stream.
    var first: UInt64
    /// The one before it, the last that the branch shares with others; nil where no file has it.
    var previous: Chain.Entry?
    var transactions: [Chain.Entry]
  }

  let stream: ReplicaID
  private(set) var branches: [Branch] = []
  /// The last transaction that all have in common, of the first place where they part.
  private(set) var lastShared: UInt64 = 0

  /// Nil when the chains say one and the same thing, as far as they reach.
  init?(of chains: [Chain], stream: ReplicaID) {
    self.stream = stream
    guard let place = StreamFork.parting(chains) else { return nil }
    lastShared = place - 1
    split(chains, at: place)
    // A branch before those that part from it.
    branches.sort { $0.first != $1.first ? $0.first < $1.first : $0.replica < $1.replica }
  }

  /// The first place at which two chains have different transactions.
  private static func parting(_ chains: [Chain]) -> UInt64? {
    var found: UInt64?
    for (index, left) in chains.enumerated() {
      for right in chains[..<index] {
        let shared = max(left.first, right.first)...max(left.first, right.first, min(left.last, right.last))
        guard
          let place = shared.first(where: { place in
            guard let bytes = left.bytes(at: place), let other = right.bytes(at: place) else { return false }
            return bytes != other
          })
        else { continue }
        found = min(found ?? place, place)
      }
    }
    return found
  }

  private mutating func split(_ chains: [Chain], at place: UInt64) {
    let parts = Dictionary(grouping: chains.filter { $0.bytes(at: place) != nil }) { $0.bytes(at: place) ?? [] }
    for (bytes, members) in parts {
      let next = StreamFork.parting(members)
      let longest = members.max { $0.last < $1.last } ?? members[0]
      let end = next.map { $0 - 1 } ?? longest.last
      let previous = members.lazy.compactMap { $0.entry(at: place - 1) }.first
      branches.append(
        Branch(
          replica: name(of: bytes, at: place), first: place, previous: previous,
          transactions: (place...end).compactMap(longest.entry)))
      if let next { split(members, at: next) }
    }
  }

  /// Above the stream's own id, so that the clock, which has seen the branch, has seen its stamps.
  private func name(of bytes: [UInt8], at place: UInt64) -> ReplicaID {
    var writer = FileWriter()
    writer.put(raw: Array("tandem branch".utf8))
    writer.put(stream.value)
    writer.put(place)
    writer.put(raw: bytes)
    let hash = ContentHash(of: writer.bytes).prefix(0)
    let room = UInt64.max - stream.value
    return ReplicaID(room == 0 ? .max : stream.value + 1 + hash % room)
  }
}

extension StreamFork.Chain {
  /// The chains of change sets, which name their predecessors by hash. `sets` are the intact files of one stream,
  /// each with the hash of its file.
  static func all(of sets: [(set: ChangeSet, hash: [UInt8])]) -> [StreamFork.Chain] {
    let places = Dictionary(sets.enumerated().map { ($1.hash, $0) }) { first, _ in first }
    let predecessors = Set(sets.map(\.set.previousHash))
    return sets.indices.filter { !predecessors.contains(sets[$0].hash) }.map { leaf in
      var path = [leaf]
      while let previous = places[sets[path[path.count - 1]].set.previousHash], !path.contains(previous) {
        path.append(previous)
      }
      path.reverse()
      var chain = StreamFork.Chain(first: sets[path[0]].set.firstSequence)
      for place in path {
        chain.transactions += entries(of: sets[place].set, file: place)
      }
      return chain
    }
  }

  private static func entries(of set: ChangeSet, file: Int) -> [Entry] {
    var canonical = set.transactions
    do {
      canonical = try set.canonicalTransactions(canonical.indices)
    } catch {
      // Its schema cannot be read, so nobody takes it: the bytes stand for themselves.
    }
    return zip(set.transactions, canonical).map { Entry(bytes: $0, file: file, canonical: $1) }
  }
}
