public import RecordStore
import Testing

/// Several stores of one family that exchange transactions without files: what they send each other goes
/// through the codec, as in a change set.
public struct ReplicaFamily: Sendable {
  public let stores: [TemporaryStore]
  public var clocks: [ManualClock]

  public init(
    count: Int, schema: StoreSchema = .fixture, uniqueness: UniquenessPolicy = .upsert,
    configure: (Int, inout StoreConfiguration) -> Void = { _, _ in }
  ) throws {
    clocks = (0..<count).map { _ in ManualClock() }
    stores = try clocks.enumerated().map { index, clock in
      try TemporaryStore(schema: schema, clock: clock.wallClock, uniqueness: uniqueness) { configure(index, &$0) }
    }
    let family = stores[0].store.storeID
    for other in stores.dropFirst() { try other.store.adopt(storeID: family) }
  }

  package func outgoing(of index: Int, after sequence: UInt64) throws -> [TransactionFacts] {
    let catalogue = try stores[index].store.read { $0.catalogue }
    return try stores[index].store.read { snapshot throws in
      var found: [TransactionFacts] = []
      try snapshot.forEachOutgoing(after: sequence) { outgoing in
        found.append(
          try TransactionCodec.decode(outgoing.encoded) { catalogue.entities[$0].fields[$1].type })
        return true
      }
      return found
    }
  }

  /// Brings to one store whatever it lacks of another, and before each transaction whatever its author had seen.
  public func pull(into target: Int, from source: Int, limit: Int = .max) throws {
    let replica = try stores[source].store.read { try $0.replica }
    let known = try stores[target].store.read { try $0.versionVector.sequence(of: replica) }
    for transaction in try outgoing(of: source, after: known).prefix(limit) {
      try pullContext(of: transaction, into: target, except: source)
      try merge([transaction], into: target)
    }
  }

  private func pullContext(of transaction: TransactionFacts, into target: Int, except source: Int) throws {
    for other in stores.indices where other != target && other != source {
      let replica = try stores[other].store.read { try $0.replica }
      let needed = transaction.context.sequence(of: replica)
      let known = try stores[target].store.read { try $0.versionVector.sequence(of: replica) }
      if needed > known { try pull(into: target, from: other, limit: Int(needed - known)) }
    }
  }

  package func merge(_ transactions: [TransactionFacts], into target: Int) throws {
    _ = try stores[target].store.commit(.merging(transactions))
  }

  /// Everyone gets everything.
  public func exchangeAll() throws {
    for _ in 0..<2 {
      for target in stores.indices {
        for source in stores.indices where source != target { try pull(into: target, from: source) }
      }
    }
  }

  /// Everything that a store knows and shows, as text: equal for stores that know the same.
  public func dump(_ index: Int) throws -> String {
    try stores[index].store.read { snapshot throws in
      var lines: [String] = []
      for entity in snapshot.catalogue.entities {
        try snapshot.forEachFacts(of: entity.number) { facts, isVisible in
          let registers = facts.registers.map {
            "\(entity.fields[$0.ordinal].name)=\($0.value)@\($0.stamp.short)\($0.isOnce ? "!" : "")"
          }
          lines.append(
            "\(entity.name) \(facts.id.low) \(isVisible ? "visible" : "hidden") inserted \(facts.isInserted) "
              + "touch \(facts.touch?.short ?? "-") deleted \(facts.deleted?.short ?? "-") "
              + facts.onceInserts.map { "once \($0.keyHash)@\($0.stamp.short) " }.joined()
              + registers.joined(separator: " "))
        }
      }
      try snapshot.forEachAlias { lines.append("alias \($0.low) of \($1.low)") }
      for entity in snapshot.catalogue.entities {
        try snapshot.forEachOriginal(of: entity.number) { facts, row in
          let registers = facts.registers.map { "\(entity.fields[$0.ordinal].name)=\($0.value)@\($0.stamp.short)" }
          lines.append(
            "written \(entity.name) \(facts.id.low) in \(row.low) inserted \(facts.isInserted) "
              + "touch \(facts.touch?.short ?? "-") deleted \(facts.deleted?.short ?? "-") "
              + registers.joined(separator: " "))
        }
      }
      try snapshot.forEachPastWrite { past in
        lines.append("past \(past.id.low).\(past.write.ordinal)=\(past.write.value)@\(past.write.stamp.short)")
      }
      try snapshot.forEachOnceEntry { entry in
        lines.append("\(entry.key) \(entry.runs.map(\.short).joined(separator: " "))")
      }
      return lines.joined(separator: "\n")
    }
  }

  public func check() throws {
    for store in stores { try store.check() }
  }
}

extension Stamp {
  /// For failures: enough to tell stamps of one test apart.
  public var short: String { "\(epoch).\(wallMilliseconds % 100_000).\(counter).\(replica.value & 0xFFF)" }
}
