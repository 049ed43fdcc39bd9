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

  private func surroundings(_ known: RecordFacts...) -> MergeSurroundings {
    var surroundings = MergeSurroundings(catalogue: household, own: ReplicaID(1))
    for facts in known { surroundings.known[facts.key] = facts }
    return surroundings
  }

  private func conflicts(
    _ transactions: TransactionFacts..., around surroundings: MergeSurroundings
  ) throws -> [Conflict] {
    let plan = Merge.plan(transactions, surroundings: surroundings, nowMilliseconds: 5)
    return try plan.request.attachments.compactMap { attachment in
      guard attachment.key.starts(with: SyncAttachment.conflicts), let value = attachment.value else { return nil }
      return try Conflict(key: attachment.key, value: value)
    }
  }

  @Test func `facts pass through, with their transactions`() {
    let bob = record(touch: stamp(10, 2), [(0, .string("bob"), stamp(10, 2))])
    let plan = Merge.plan([transaction(4, stamp(10, 2), bob)], surroundings: surroundings(), nowMilliseconds: 5)
    #expect(plan.request.changes == [.facts(bob)])
    #expect(plan.request.merge?.transactions.map(\.dot.sequence) == [4])
    #expect(plan.conflictCount == 0)
  }

  @Test func `an edit here that the winner had not seen is logged with both values`() throws {
    let here = record(touch: stamp(10, 1), [(0, .string("john"), stamp(10, 1))])
    let there = record(inserted: false, touch: stamp(20, 2), [(0, .string("dave"), stamp(20, 2))])
    let logged = try conflicts(transaction(1, stamp(20, 2), there), around: surroundings(here))
    #expect(logged.map(\.kind) == [.editLost])
    #expect(logged[0].fields == [.init(ordinal: 0, lost: .string("john"), winning: .string("dave"))])
    #expect(logged[0].lostStamp == stamp(10, 1))
    #expect(logged[0].winningStamp == stamp(20, 2))
  }

  @Test func `an edit that the winner had seen is not logged`() throws {
    let here = record(touch: stamp(10, 1), [(0, .string("john"), stamp(10, 1))])
    let there = record(inserted: false, touch: stamp(20, 2), [(0, .string("dave"), stamp(20, 2))])
    let logged = try conflicts(transaction(1, stamp(20, 2), seen: [stamp(10, 1)], there), around: surroundings(here))
    #expect(logged.isEmpty)
  }

  @Test func `an arriving edit that is older than ours is logged`() throws {
    let here = record(touch: stamp(30, 1), [(0, .string("john"), stamp(30, 1))])
    let there = record(inserted: false, touch: stamp(20, 2), [(0, .string("dave"), stamp(20, 2))])
    let logged = try conflicts(transaction(1, stamp(20, 2), there), around: surroundings(here))
    #expect(logged.map { $0.fields[0].lost } == [.string("dave")])
  }

  @Test func `an equal value is no conflict`() throws {
    let here = record(touch: stamp(10, 1), [(0, .string("john"), stamp(10, 1))])
    let there = record(inserted: false, touch: stamp(20, 2), [(0, .string("john"), stamp(20, 2))])
    #expect(try conflicts(transaction(1, stamp(20, 2), there), around: surroundings(here)).isEmpty)
  }

  @Test func `different fields are no conflict`() throws {
    let here = record(touch: stamp(10, 1), [(0, .string("john"), stamp(10, 1))])
    let there = record(inserted: false, touch: stamp(20, 2), [(1, .int(3), stamp(20, 2))])
    #expect(try conflicts(transaction(1, stamp(20, 2), there), around: surroundings(here)).isEmpty)
  }

  @Test func `of several lost edits of one author only the last is lost`() throws {
    let here = record(touch: stamp(30, 1), [(0, .string("john"), stamp(30, 1))])
    let first = record(inserted: false, touch: stamp(20, 2), [(0, .string("dave"), stamp(20, 2))])
    let second = record(inserted: false, touch: stamp(21, 2), [(0, .string("dan"), stamp(21, 2))])
    let logged = try conflicts(
      transaction(1, stamp(20, 2), first), transaction(2, stamp(21, 2), second), around: surroundings(here))
    #expect(logged.map { $0.fields[0].lost } == [.string("dan")])
  }

  @Test func `an entry whose value was taken up by a later edit leaves the log`() throws {
    let here = record(touch: stamp(30, 1), [(0, .string("eve"), stamp(30, 1))])
    var around = surroundings(here)
    let old = Conflict(
      kind: .editLost, entity: 0, record: id(1), lostStamp: stamp(10, 3), winningStamp: stamp(30, 1),
      fields: [.init(ordinal: 0, lost: .string("john"), winning: .string("eve"))], loggedAtMilliseconds: 1)
    around.logged[here.key] = [old]
    let there = record(inserted: false, touch: stamp(40, 2), [(0, .string("dave"), stamp(40, 2))])
    let plan = Merge.plan(
      [transaction(1, stamp(40, 2), seen: [stamp(10, 3)], there)], surroundings: around, nowMilliseconds: 5)
    #expect(plan.request.attachments.contains(SaveRequest.Attachment(key: old.key, value: nil)))
    #expect(plan.conflictCount == 1)
  }

  @Test func `an edit that dies with an unseen delete is logged, the seen values are not`() throws {
    let here = record(
      touch: stamp(20, 1), [(0, .string("bob"), stamp(1, 2)), (1, .int(7), stamp(20, 1))])
    let delete = record(inserted: false, deleted: stamp(21, 2))
    let logged = try conflicts(transaction(2, stamp(21, 2), delete), around: surroundings(here))
    #expect(logged.map(\.kind) == [.editLostToDelete])
    #expect(logged[0].fields == [.init(ordinal: 1, lost: .int(7), winning: .null)])
  }

  @Test func `a delete that a later edit overrides is logged`() throws {
    let here = record(touch: stamp(30, 1), [(1, .int(7), stamp(30, 1))])
    let delete = record(inserted: false, deleted: stamp(21, 2))
    let logged = try conflicts(transaction(2, stamp(21, 2), delete), around: surroundings(here))
    #expect(logged.map(\.kind) == [.deletionOverridden])
    #expect(logged[0].lostStamp == stamp(21, 2))
  }

  @Test func `two deletes are no conflict`() throws {
    let here = record(touch: stamp(1, 2), deleted: stamp(20, 1), [(1, .int(7), stamp(1, 2))])
    let delete = record(inserted: false, deleted: stamp(21, 2))
    #expect(try conflicts(transaction(2, stamp(21, 2), delete), around: surroundings(here)).isEmpty)
  }

  @Test func `a child that arrives below a deleted parent is logged when the delete is newer`() throws {
    let parent = record(9, entity: 1, touch: stamp(1, 2), deleted: stamp(30, 1), [(0, .string("s"), stamp(1, 2))])
    let child = record(
      touch: stamp(20, 2), [(0, .string("bob"), stamp(20, 2)), (2, .reference(id(9)), stamp(20, 2))])
    let logged = try conflicts(transaction(1, stamp(20, 2), child), around: surroundings(parent))
    #expect(logged.map(\.kind) == [.editLostToDelete])
    #expect(logged.map(\.record) == [id(1)])
  }

  @Test func `a child that arrives later than its parent's delete overrides it`() throws {
    let parent = record(9, entity: 1, touch: stamp(1, 2), deleted: stamp(30, 1), [(0, .string("s"), stamp(1, 2))])
    let child = record(
      touch: stamp(40, 2), [(0, .string("bob"), stamp(40, 2)), (2, .reference(id(9)), stamp(40, 2))])
    let logged = try conflicts(transaction(1, stamp(40, 2), child), around: surroundings(parent))
    #expect(logged.map(\.kind) == [.deletionOverridden])
    #expect(logged.map(\.record) == [id(9)])
  }

  @Test func `two records with one unique value are compared as one`() throws {
    let here = record(5, touch: stamp(10, 1), [(0, .string("bob"), stamp(10, 1)), (1, .int(1), stamp(10, 1))])
    let there = record(3, touch: stamp(20, 2), [(0, .string("bob"), stamp(20, 2)), (1, .int(2), stamp(20, 2))])
    var around = surroundings(here)
    around.twins[there.key] = here.key
    let logged = try conflicts(transaction(1, stamp(20, 2), there), around: around)
    #expect(logged.map(\.kind) == [.aliasJoined])
    #expect(logged[0].record == id(3))
    #expect(logged[0].fields == [.init(ordinal: 1, lost: .int(1), winning: .int(2))])
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
      #expect(throws: SyncError.self) { try Conflict(key: entry.key, value: Array(entry.encoded.prefix(count))) }
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
