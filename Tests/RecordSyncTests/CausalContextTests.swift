import RecordStore
import TestSupport
import Testing

@testable import RecordSync

/// Contexts are read by the replica that wrote: a merge must have read those of each writer that it compares.
struct CausalContextTests {
  /// Where a merge may find the stamp of another replica's write.
  enum Place: CaseIterable {
    case arrivingValue, arrivingTouch, arrivingDelete, knownValue, standing, standingOfDelete, settledValue
    case settledStanding, settledBefore, lostReference, winnerOfReference, voidReference, winnerOfVoid, forgetting
    case member, loggedLoss, loggedWinner
  }

  private let other = stamp(40, 9)
  private let author = stamp(50, 2)
  private var entity: EntityNumber { 0 }

  private func facts(
    touch: Stamp? = nil, deleted: Stamp? = nil, value: Stamp? = nil
  ) -> RecordFacts {
    RecordFacts(
      entity: entity, id: id(1), isInserted: true, touch: touch, deleted: deleted,
      registers: [value].compactMap { $0.map { .init(ordinal: 0, value: .int(1), stamp: $0) } })
  }

  private func merge(with place: Place) -> (MergeArrivals, Settlement, LogBook) {
    var transaction = TransactionFacts(
      dot: Dot(replica: author.replica, sequence: 1), stamp: author, author: nil, context: VersionVector(), records: [])
    var (settlement, log) = (Settlement(), LogBook(nowMilliseconds: 1))
    var (known, standings): ([RecordKey: RecordFacts], [RecordKey: RecordStanding]) = ([:], [:])
    let key = facts().key
    var settled = Settlement.Record(facts: facts(touch: author), standing: .waiting)
    func reference(lost: Stamp, winning: Stamp) -> RecordStandings.LostReference {
      .init(ordinal: 1, target: id(2), stamp: lost, winner: id(3), winningStamp: winning)
    }
    func conflict(lost: Stamp, winning: Stamp) -> Conflict {
      Conflict(
        kind: .editLost, entity: entity, record: id(1), lostStamp: lost, winningStamp: winning,
        fields: [.init(ordinal: 0, lost: .int(1), winning: .int(2))], loggedAtMilliseconds: 1)
    }
    switch place {
    case .arrivingValue: transaction.records = [facts(value: other)]
    case .arrivingTouch: transaction.records = [facts(touch: other)]
    case .arrivingDelete: transaction.records = [facts(deleted: other)]
    case .knownValue: known[key] = facts(value: other)
    case .standing: standings[key] = .alive(overriding: other)
    case .standingOfDelete: standings[key] = .dead(deleted: other, of: id(1))
    case .settledValue: settled.facts = facts(value: other)
    case .settledStanding: settled.standing = .dead(deleted: other, of: id(1))
    case .settledBefore: settlement.standingsBefore[key] = .alive(overriding: other)
    case .lostReference: settled.lostReferences = [reference(lost: other, winning: author)]
    case .winnerOfReference: settled.lostReferences = [reference(lost: author, winning: other)]
    case .voidReference: settled.voidReferences = [reference(lost: other, winning: author)]
    case .winnerOfVoid: settled.voidReferences = [reference(lost: author, winning: other)]
    case .forgetting: settled.forgottenBy = other
    case .member:
      settlement.classes = [RecordClass(entity: entity, row: id(1), members: [facts(value: other)], previousRows: [])]
    case .loggedLoss: log.read([conflict(lost: other, winning: author)])
    case .loggedWinner: log.read([conflict(lost: author, winning: other)])
    }
    settlement.records[key] = settled
    var arrivals = MergeArrivals([transaction], own: ReplicaID(1))
    (arrivals.known, arrivals.standings) = (known, standings)
    return (arrivals, settlement, log)
  }

  /// A store that knows a context of replicas 2, 7 and 9.
  private func store() throws -> TestReplica {
    let replica = try TestReplica(replica: ReplicaID(1))
    var contexts = CausalContexts(own: ReplicaID(1))
    let attachments = [author, stamp(30, 7), other].flatMap { stamp in
      var seen = VersionVector()
      seen.entries[ReplicaID(5)] = .init(sequence: 1, stamp: Stamp(time: 20, counter: 0, replica: ReplicaID(5)))
      return contexts.note(
        TransactionFacts(
          dot: Dot(replica: stamp.replica, sequence: 1), stamp: stamp, author: nil, context: seen, records: []))
    }
    _ = try replica.store.commit(SaveRequest(attachments: attachments))
    return replica
  }

  @Test(arguments: Place.allCases)
  func `a merge knows what each author knew whose write it compares`(place: Place) throws {
    let replica = try store()
    let (arrivals, settlement, log) = merge(with: place)
    let contexts = try replica.store.read { snapshot in
      var contexts = CausalContexts(unreadOf: ReplicaID(1))
      try contexts.read(of: author.replica, in: snapshot)
      try contexts.read(for: arrivals, settlement, log, in: snapshot)
      return contexts
    }
    #expect(contexts.didSee(other, stamp(20, 5)))
    #expect(contexts.didSee(author, stamp(20, 5)))
    // Nothing was asked of replica 7.
    #expect(Set(contexts.entries.keys) == [author.replica, other.replica])
  }

  @Test func `contexts of one replica are those that all contexts have of it`() throws {
    let replica = try store()
    let (one, all) = try replica.store.read { snapshot in
      var one = CausalContexts(unreadOf: ReplicaID(1))
      try one.read(of: other.replica, in: snapshot)
      try one.read(of: other.replica, in: snapshot)
      return (one, try CausalContexts(in: snapshot))
    }
    #expect(all.entries.count == 3)
    #expect(one.entries == all.entries.filter { $0.key == other.replica })
  }
}
