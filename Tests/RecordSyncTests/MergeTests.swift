import Foundation
import RecordStore
import Testing

@testable import RecordSync

/// The pure part: transactions of replica 2 arrive at a store of replica 1.
struct MergeTests {
  private func record(
    _ number: UInt64 = 1, entity: EntityNumber = 0, inserted: Bool = true, touch: Stamp? = nil, deleted: Stamp? = nil,
    _ registers: [(Int, FieldValue, Stamp)] = []
  ) -> RecordFacts {
    RecordFacts(
      entity: entity, id: id(number), isInserted: inserted, touch: touch, deleted: deleted,
      registers: registers.map { RecordFacts.Register(ordinal: $0.0, value: $0.1, stamp: $0.2) })
  }

  private func transaction(
    _ sequence: UInt64, _ stamp: Stamp, seen: [Stamp] = [], _ records: RecordFacts...
  ) -> TransactionFacts {
    var context = VersionVector()
    for stamp in seen { context.entries[stamp.replica] = .init(sequence: 1, stamp: stamp) }
    return TransactionFacts(
      dot: Dot(replica: stamp.replica, sequence: sequence), stamp: stamp, author: nil, context: context,
      records: records)
  }

  private func arrivals(_ transactions: [TransactionFacts], known: [RecordFacts]) -> MergeArrivals {
    var arrivals = MergeArrivals(transactions, own: ReplicaID(1))
    for facts in known { arrivals.known[facts.key] = facts }
    return arrivals
  }

  /// How the store stands afterwards: all known facts joined, each record alive by itself or dead.
  private func settlement(_ arrivals: MergeArrivals) -> Settlement {
    var settlement = Settlement()
    var facts = arrivals.known
    for record in arrivals.transactions.flatMap(\.records) {
      facts[record.key, default: record].join(record)
    }
    for (key, record) in facts {
      let isAlive = record.deleted.map { record.touch ?? .zero > $0 } ?? true
      let standing: RecordStanding =
        isAlive
        ? .alive(overriding: record.deleted == nil ? nil : record.touch)
        : .dead(deleted: record.deleted ?? .zero, of: record.id)
      settlement.records[key] = Settlement.Record(facts: record, standing: standing)
    }
    return settlement
  }

  private func log(
    _ transactions: TransactionFacts..., known: RecordFacts..., before: [Conflict] = [],
    settled: (inout Settlement) -> Void = { _ in }
  ) throws -> [Conflict] {
    var arrivals = arrivals(transactions, known: known)
    _ = Merge.origins(of: arrivals.transactions, &arrivals.contexts)
    var settlement = settlement(arrivals)
    settled(&settlement)
    var book = LogBook(nowMilliseconds: 5)
    book.read(before)
    var entries = Dictionary(before.map { ($0.key, $0.encoded) }, uniquingKeysWith: { first, _ in first })
    for change in Merge.log(of: arrivals, settlement: settlement, before: book).changes.attachments {
      entries[change.key] = change.value
    }
    return try entries.map { try Conflict(key: $0.key, value: $0.value) }
      .sorted { ($0.record, $0.lostStamp) < ($1.record, $1.lostStamp) }
  }

  @Test func `an entry of the log reads back with values at the ends of their types`() throws {
    let values: [FieldValue] = [
      .null, .bool(true), .int(.min), .uint(.max), .double(-0.0), .double(.infinity), .decimal(.nan),
      .decimal(.greatestFiniteMagnitude), .decimal(-.leastNonzeroMagnitude), .string("e\u{301}"), .url("x:"),
      .date(.distantPast), .uuid(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))), .data(Data()),
      .composite(Data([1])), .reference(id(7)),
    ]
    let conflict = Conflict(
      kind: .editLost, entity: 3, record: id(1), lostStamp: stamp(1, 7), winningStamp: stamp(2, 8),
      fields: values.indices.map { .init(ordinal: $0, lost: values[$0], winning: values[values.count - 1 - $0]) },
      loggedAtMilliseconds: 5)
    #expect(try Conflict(key: conflict.key, value: conflict.encoded) == conflict)
  }

  @Test func `a merge names its transactions, and what nobody knew was lost by nobody`() {
    let bob = record(touch: stamp(10, 2), [(0, .string("bob"), stamp(10, 2))])
    var arrivals = arrivals([transaction(4, stamp(10, 2), bob)], known: [])
    let (origins, _) = Merge.origins(of: arrivals.transactions, &arrivals.contexts)
    #expect(origins.map(\.dot.sequence) == [4])
    let before = LogBook(nowMilliseconds: 5)
    #expect(Merge.log(of: arrivals, settlement: settlement(arrivals), before: before).changes.newCount == 0)
  }

  @Test func `an edit here that the winner had not seen is logged with both values`() throws {
    let here = record(touch: stamp(10, 1), [(0, .string("john"), stamp(10, 1))])
    let there = record(inserted: false, touch: stamp(20, 2), [(0, .string("dave"), stamp(20, 2))])
    let logged = try log(transaction(1, stamp(20, 2), there), known: here)
    #expect(logged.map(\.kind) == [.editLost])
    #expect(logged[0].fields == [.init(ordinal: 0, lost: .string("john"), winning: .string("dave"))])
    #expect(logged[0].lostStamp == stamp(10, 1))
    #expect(logged[0].winningStamp == stamp(20, 2))
  }

  @Test func `an edit that the winner had seen is not logged`() throws {
    let here = record(touch: stamp(10, 1), [(0, .string("john"), stamp(10, 1))])
    let there = record(inserted: false, touch: stamp(20, 2), [(0, .string("dave"), stamp(20, 2))])
    #expect(try log(transaction(1, stamp(20, 2), seen: [stamp(10, 1)], there), known: here).isEmpty)
  }

  @Test func `an arriving edit that is older than ours is logged`() throws {
    let here = record(touch: stamp(30, 1), [(0, .string("john"), stamp(30, 1))])
    let there = record(inserted: false, touch: stamp(20, 2), [(0, .string("dave"), stamp(20, 2))])
    let logged = try log(transaction(1, stamp(20, 2), there), known: here)
    #expect(logged.map { $0.fields[0].lost } == [.string("dave")])
  }

  @Test func `an equal value is no conflict, and lost to the next write that does not know it`() throws {
    let here = record(touch: stamp(10, 1), [(0, .string("john"), stamp(10, 1))])
    let there = record(inserted: false, touch: stamp(20, 2), [(0, .string("john"), stamp(20, 2))])
    let kept = try log(transaction(1, stamp(20, 2), there), known: here)
    #expect(kept.map(\.isLoss) == [false])
    let next = record(inserted: false, touch: stamp(30, 2), [(0, .string("dave"), stamp(30, 2))])
    let logged = try log(transaction(2, stamp(30, 2), next), known: there, before: kept).filter(\.isLoss)
    #expect(logged.map(\.kind) == [.editLost])
    #expect(logged.first?.lostStamp == stamp(10, 1) && logged.first?.winningStamp == stamp(30, 2))
    #expect(logged.first?.fields == [.init(ordinal: 0, lost: .string("john"), winning: .string("dave"))])
  }

  @Test func `different fields are no conflict`() throws {
    let here = record(touch: stamp(10, 1), [(0, .string("john"), stamp(10, 1))])
    let there = record(inserted: false, touch: stamp(20, 2), [(1, .int(3), stamp(20, 2))])
    #expect(try log(transaction(1, stamp(20, 2), there), known: here).isEmpty)
  }

  @Test func `of several lost edits of one author only the last is lost`() throws {
    let here = record(touch: stamp(30, 1), [(0, .string("john"), stamp(30, 1))])
    let first = record(inserted: false, touch: stamp(20, 2), [(0, .string("dave"), stamp(20, 2))])
    let second = record(inserted: false, touch: stamp(21, 2), [(0, .string("dan"), stamp(21, 2))])
    let logged = try log(
      transaction(1, stamp(20, 2), first), transaction(2, stamp(21, 2), second), known: here)
    #expect(logged.map { $0.fields[0].lost } == [.string("dan")])
  }

  @Test func `an entry whose value was taken up by a later edit leaves the log`() throws {
    let here = record(touch: stamp(30, 1), [(0, .string("eve"), stamp(30, 1))])
    let old = Conflict(
      kind: .editLost, entity: 0, record: id(1), lostStamp: stamp(10, 3), winningStamp: stamp(30, 1),
      fields: [.init(ordinal: 0, lost: .string("john"), winning: .string("eve"))], loggedAtMilliseconds: 1)
    let there = record(inserted: false, touch: stamp(40, 2), [(0, .string("dave"), stamp(40, 2))])
    let logged = try log(transaction(1, stamp(40, 2), seen: [stamp(10, 3)], there), known: here, before: [old])
    #expect(logged.map { $0.fields[0].lost } == [.string("eve")])
  }

  /// Once the entry named whichever write had beaten the value first, so devices logged one loss differently.
  @Test func `of three writes that did not know each other both losers lost to the latest, in every order`() throws {
    let writes = [(10, "ann"), (20, "ben"), (30, "cem")].map { time, name in
      record(inserted: false, touch: stamp(time, time), [(0, .string(name), stamp(time, time))])
    }
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
      var known = writes[order[0]]
      var entries: [Conflict] = []
      for next in order.dropFirst() {
        let facts = writes[next]
        entries = try log(transaction(1, facts.touch ?? .zero, facts), known: known, before: entries)
        known.join(facts)
      }
      #expect(entries.map { $0.fields[0].lost } == [.string("ann"), .string("ben")], "\(order)")
      #expect(entries.map(\.winningStamp) == [stamp(30, 30), stamp(30, 30)], "\(order)")
    }
  }

  @Test func `an edit that dies with an unseen delete is logged, the seen values are not`() throws {
    let here = record(
      touch: stamp(20, 1), [(0, .string("bob"), stamp(1, 2)), (1, .int(7), stamp(20, 1))])
    let delete = record(inserted: false, deleted: stamp(21, 2))
    let logged = try log(transaction(2, stamp(21, 2), delete), known: here)
    #expect(logged.map(\.kind) == [.editLostToDelete])
    #expect(logged[0].fields == [.init(ordinal: 1, lost: .int(7), winning: .null)])
  }

  @Test func `an edit that died with a delete leaves the log when a later edit brings it back`() throws {
    let here = record(touch: stamp(20, 1), deleted: stamp(21, 2), [(1, .int(7), stamp(20, 1))])
    let old = Conflict(
      kind: .editLostToDelete, entity: 0, record: id(1), lostStamp: stamp(20, 1), winningStamp: stamp(21, 2),
      fields: [.init(ordinal: 1, lost: .int(7), winning: .null)], loggedAtMilliseconds: 1)
    let edit = record(inserted: false, touch: stamp(30, 3), [(0, .string("bob"), stamp(30, 3))])
    let logged = try log(transaction(1, stamp(30, 3), edit), known: here, before: [old])
    #expect(logged.map(\.kind) == [.deletionOverridden])
  }

  @Test func `a delete that a later edit overrides is logged`() throws {
    let here = record(touch: stamp(30, 1), [(1, .int(7), stamp(30, 1))])
    let delete = record(inserted: false, deleted: stamp(21, 2))
    let logged = try log(transaction(2, stamp(21, 2), delete), known: here)
    #expect(logged.map(\.kind) == [.deletionOverridden])
    #expect(logged[0].lostStamp == stamp(21, 2))
  }

  @Test func `two deletes are no conflict`() throws {
    let here = record(touch: stamp(1, 2), deleted: stamp(20, 1), [(1, .int(7), stamp(1, 2))])
    let delete = record(inserted: false, deleted: stamp(21, 2))
    #expect(try log(transaction(2, stamp(21, 2), delete), known: here).isEmpty)
  }

  @Test func `a record that died with another one is logged as lost to that one's delete`() throws {
    let child = record(
      touch: stamp(20, 2), [(0, .string("bob"), stamp(20, 2)), (2, .reference(id(9)), stamp(20, 2))])
    let logged = try log(transaction(1, stamp(20, 2), child)) { settled in
      settled.records[child.key]?.standing = .dead(deleted: stamp(30, 1), of: id(9))
    }
    #expect(logged.map(\.kind) == [.editLostToDelete])
    #expect(logged.map(\.record) == [id(1)])
    #expect(logged.map(\.winningStamp) == [stamp(30, 1)])
  }

  @Test func `a delete that activity below overrides is logged`() throws {
    let parent = record(9, entity: 1, touch: stamp(1, 2), deleted: stamp(30, 1), [(0, .string("s"), stamp(1, 2))])
    let child = record(
      touch: stamp(40, 2), [(0, .string("bob"), stamp(40, 2)), (2, .reference(id(9)), stamp(40, 2))])
    let logged = try log(transaction(1, stamp(40, 2), child), known: parent) { settled in
      settled.records[parent.key]?.standing = .alive(overriding: stamp(40, 2))
    }
    #expect(logged.map(\.kind) == [.deletionOverridden])
    #expect(logged.map(\.record) == [id(9)])
  }

  @Test func `a one-to-one reference that another took unseen is logged, and leaves the log when it is back`() throws {
    let here = record(touch: stamp(10, 1), [(2, .reference(id(9)), stamp(10, 1))])
    let there = record(2, touch: stamp(20, 2), [(2, .reference(id(9)), stamp(20, 2))])
    let lost = RecordStandings.LostReference(
      ordinal: 2, target: id(9), stamp: stamp(10, 1), winner: id(2), winningStamp: stamp(20, 2))
    let logged = try log(transaction(1, stamp(20, 2), there), known: here) { settled in
      settled.records[here.key]?.lostReferences = [lost]
    }
    #expect(logged.map(\.kind) == [.referenceLost])
    #expect(logged[0].fields == [.init(ordinal: 2, lost: .reference(id(9)), winning: .reference(id(2)))])
    let delete = record(2, inserted: false, deleted: stamp(30, 2))
    #expect(try log(transaction(2, stamp(30, 2), delete), known: here, there, before: logged).isEmpty)
  }

  @Test func `records that became one are compared, also where a third one joined them`() throws {
    let first = record(5, touch: stamp(10, 1), [(0, .string("bob"), stamp(10, 1)), (1, .int(1), stamp(10, 1))])
    let second = record(7, touch: stamp(15, 3), [(0, .string("rob"), stamp(15, 3)), (1, .int(3), stamp(15, 3))])
    let third = record(3, touch: stamp(20, 2), [(0, .string("bob"), stamp(20, 2)), (1, .int(2), stamp(20, 2))])
    let logged = try log(transaction(1, stamp(20, 2), third)) { settled in
      settled.classes = [
        RecordClass(entity: 0, row: id(3), members: [third, first, second], previousRows: [id(3), id(5), id(7)])
      ]
    }
    #expect(logged.map(\.kind) == [.aliasJoined, .aliasJoined])
    #expect(logged.map(\.record) == [id(3), id(3)])
    #expect(logged[0].fields == [.init(ordinal: 1, lost: .int(1), winning: .int(2))])
    #expect(
      logged[1].fields == [
        .init(ordinal: 0, lost: .string("rob"), winning: .string("bob")),
        .init(ordinal: 1, lost: .int(3), winning: .int(2)),
      ])
  }

  @Test func `what records of one row had lost to each other leaves the log when they are apart again`() throws {
    let first = record(3, touch: stamp(10, 1), [(0, .string("bob"), stamp(10, 1)), (1, .int(1), stamp(10, 1))])
    let second = record(5, touch: stamp(15, 3), [(0, .string("bob"), stamp(15, 3)), (1, .int(3), stamp(15, 3))])
    let old = Conflict(
      kind: .aliasJoined, entity: 0, record: id(3), lostStamp: stamp(10, 1), winningStamp: stamp(15, 3),
      fields: [.init(ordinal: 1, lost: .int(1), winning: .int(3))], loggedAtMilliseconds: 1)
    let late = record(3, inserted: false, touch: stamp(12, 1), [(0, .string("ben"), stamp(12, 1))])
    var parted = first
    parted.join(late)
    let logged = try log(transaction(2, stamp(12, 1), late), known: first, before: [old]) { settled in
      settled.classes = [
        RecordClass(entity: 0, row: id(3), members: [parted], previousRows: [id(3)], isParted: true),
        RecordClass(entity: 0, row: id(5), members: [second], previousRows: [id(3)], isParted: true),
      ]
    }
    #expect(logged.isEmpty)
  }

  @Test func `an entry reads back from its key and value, with every type of value`() throws {
    let values: [FieldValue] = [
      .null, .bool(true), .int(-4), .uint(.max), .double(-0.5), .decimal(12.25), .string("ä"), .url("http://a"),
      .date(.init(timeIntervalSinceReferenceDate: 0.1)), .uuid(.init()), .data(.init([1])), .composite(.init()),
      .reference(id(4)),
    ]
    let entry = Conflict(
      kind: .aliasJoined, entity: 300, record: id(1 << 40), lostStamp: stamp(10, 3), winningStamp: stamp(30, 1),
      fields: values.enumerated().map { .init(ordinal: $0, lost: $1, winning: .null) }, loggedAtMilliseconds: 1)
    #expect(try Conflict(key: entry.key, value: entry.encoded) == entry)
    for count in 0..<entry.encoded.count {
      let cut = Array(entry.encoded.prefix(count))
      #expect(syncErrorCode { _ = try Conflict(key: entry.key, value: cut) } == .damagedFile)
    }
  }

  @Test func `only changes of a causal context are kept`() throws {
    var contexts = CausalContexts(own: ReplicaID(1))
    #expect(contexts.note(transaction(1, stamp(10, 2))).count == 1)
    #expect(contexts.note(transaction(2, stamp(11, 2))).isEmpty)
    let change = contexts.note(transaction(3, stamp(12, 2), seen: [stamp(5, 3)]))
    #expect(change.count == 1)
    #expect(!contexts.didSee(stamp(11, 2), stamp(5, 3)))
    #expect(contexts.didSee(stamp(12, 2), stamp(5, 3)))
    #expect(contexts.didSee(stamp(13, 2), stamp(4, 3)))
    #expect(!contexts.didSee(stamp(13, 2), stamp(6, 3)))
    var copy = CausalContexts(own: ReplicaID(1))
    for attachment in change { try copy.read(key: attachment.key, value: attachment.value ?? []) }
    #expect(copy.didSee(stamp(12, 2), stamp(5, 3)))
  }
}
