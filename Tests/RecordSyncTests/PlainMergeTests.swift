import Foundation
import RecordStore
import StoreTables
import TestSupport
import Testing

@testable import RecordSync

/// Merges of which rules look at some records, beside merges of which they look at all: whatever arrives, both leave
/// the same bytes.
struct PlainMergeTests {
  @Test(arguments: 0..<(TestLength.isLong ? 120 : 6))
  func `random streams leave the same bytes however many records rules look at`(run: Int) async throws {
    var generator = SeededGenerator.announced("PlainMergeTests \(run)")
    let isOdd = run % 3 == 2
    var trial = try Trial(isOdd: isOdd, generator: SeededGenerator(seed: generator.next()))
    var rounds = 0
    while rounds < 30 || rounds < 300 && trial.saysLittle(isOdd) {
      rounds += 1
      try await trial.step()
    }
    try await trial.merge()
    #expect(!trial.saysLittle(isOdd), "\(trial.plainCount), \(trial.conflictCount) conflicts")
    for replica in trial.receivers { try expectSound(replica.store) }
  }

  @Test(arguments: 0..<(TestLength.isLong ? 160 : 8))
  func `random snapshots leave the same bytes however many records rules look at`(run: Int) async throws {
    var generator = SeededGenerator.announced("PlainMergeTests snapshot \(run)")
    let isOdd = run % 2 == 1
    var trial = try Trial(isOdd: isOdd, generator: SeededGenerator(seed: generator.next()))
    // Every other pair of receivers knows a part already.
    for _ in 0..<(run % 4 < 2 ? 0 : 10) { try await trial.step() }
    for _ in 0..<20 { try await trial.work() }
    try await trial.join()
    for _ in 0..<5 { try await trial.step() }
    try await trial.merge()
    for replica in trial.receivers { try expectSound(replica.store) }
  }

  @Test func `a record that many transactions write is taken by the short way`() async throws {
    var trial = try Trial(isOdd: false, generator: SeededGenerator.announced())
    let author = trial.authors[0]
    try author.save(author.names.insert("Article", fixtureID(1), ["title": .string("a"), "number": .int(0)]))
    for number in 1...20 as ClosedRange<Int64> {
      try author.save(author.names.update("Article", fixtureID(1), ["number": .int(number)]))
    }
    try await trial.merge()
    #expect(trial.plainCount == 1)
    #expect(try trial.receivers[0].store.value("Article", fixtureID(1), "number") == .int(20))
  }

  @Test func `an edit of both sides is logged once, and taken up by the next edit of its author`() async throws {
    var trial = try Trial(isOdd: false, generator: SeededGenerator.announced())
    let author = trial.authors[0]
    try author.save(author.names.insert("Article", fixtureID(1), ["title": .string("a"), "number": .int(0)]))
    try await trial.merge()
    try trial.saveOnReceivers { $0.update("Article", fixtureID(1), ["number": .int(7), "body": .string("mine")]) }
    for number in 1...3 as ClosedRange<Int64> {
      try author.save(author.names.update("Article", fixtureID(1), ["number": .int(number)]))
      try await trial.merge()
    }
    #expect(trial.plainCount == 4)
    let log = try ConflictLog(store: trial.receivers[0].store).entries()
    #expect(log.map(\.kind) == [.editLost])
    #expect(log[0].fields.map(\.lost) == [.int(7)])
    #expect(log[0].fields.map(\.winning) == [.int(3)])
  }

  /// What the tables beside the rows know of a unique value, or of a record that was waited for.
  @Test(arguments: Special.allCases)
  func `what stands against a merge though no row shows it is seen by the short way`(special: Special) async throws {
    var trial = try Trial(isOdd: false, generator: SeededGenerator.announced())
    let author = trial.authors[0]
    let names = author.names
    let (city, other) = (fixtureID(1), fixtureID(2))
    switch special {
    case .deletedHolder:
      try trial.saveOnReceivers { $0.insert("City", city, ["name": .string("x")]) }
      try trial.saveOnReceivers { $0.delete("City", city) }
      try author.save(names.insert("City", other, ["name": .string("x")]))
    case .formerHolder:
      try trial.saveOnReceivers { $0.insert("City", city, ["name": .string("x")]) }
      try trial.saveOnReceivers { $0.update("City", city, ["name": .string("y")]) }
      try author.save(names.insert("City", other, ["name": .string("x")]))
    case .waitingChild, .deletedTarget, .deletedRecord, .lateEdit:
      try author.save(names.insert("Trip", city, ["name": .string("x")]))
      try author.save(names.insert("Stop", other, ["title": .string("a"), "trip": .reference(city)]))
      try await trial.merge()
      if special == .waitingChild { try trial.saveOnReceivers { $0.delete("Trip", city) } }
      if special == .deletedTarget { try trial.saveOnReceivers { $0.delete("Trip", city) } }
      if special == .deletedRecord { try trial.saveOnReceivers { $0.delete("Stop", other) } }
      if special == .lateEdit { try trial.saveOnReceivers { $0.update("Trip", city, ["rating": .int(5)]) } }
      let stop: [String: FieldValue] = ["title": .string("b"), "position": .int(9), "trip": .reference(city)]
      switch special {
      case .waitingChild: try author.save(names.update("Trip", city, ["rating": .int(1)]))
      case .deletedTarget: try author.save(names.insert("Stop", fixtureID(3), stop))
      case .deletedRecord: try author.save(names.update("Stop", other, ["title": .string("c")]))
      default: try author.save(names.update("Trip", city, ["rating": .int(1)]))
      }
    }
    let plainCount = trial.plainCount
    try await trial.merge()
    #expect(trial.plainCount == plainCount + (special == .lateEdit ? 1 : 0))
    for replica in trial.receivers { try expectSound(replica.store) }
  }

  enum Special: CaseIterable {
    case deletedHolder, formerHolder, waitingChild, deletedTarget, deletedRecord, lateEdit
  }

  @Test func `of a large merge rules look at the unusual records alone`() async throws {
    let (phone, laptop) = (try TestReplica(), try TestReplica())
    let names = phone.names
    for part in 0..<10 as Range<UInt64> {
      let notes = (1...500 as ClosedRange<UInt64>).map { number in
        names.insert("Note", fixtureID(part * 1000 + number), ["text": .string("note \(number)")])
      }
      _ = try phone.store.commit(SaveRequest(changes: notes))
    }
    try phone.save(names.delete("Note", fixtureID(7)))
    let report = try await phone.send(to: laptop)
    #expect(report.transactionsMerged == 11 && report.recordsMerged == 5001)
    #expect(try laptop.dump == phone.dump)
    let merges = try laptop.store.historyInKeyOrder().filter(\.isMerge)
    #expect(merges.map(\.changes.count) == [4999])
    try expectSound(laptop.store)
  }

  /// What a rule reaches of a merge, after it was taken without a look at its rules.
  @Test(arguments: Reached.allCases)
  func `a record that a rule reaches after it was taken is settled by the rules`(reached: Reached) async throws {
    var trial = try Trial(isOdd: false, generator: SeededGenerator.announced())
    let author = trial.authors[0]
    let names = author.names
    let (trip, stop, city, other) = (fixtureID(1), fixtureID(2), fixtureID(3), fixtureID(4))
    let stopFields: [String: FieldValue] = ["title": .string("a"), "trip": .reference(trip), "city": .reference(city)]
    switch reached {
    case .newBelowDeleted:
      try author.save(names.insert("Trip", trip, ["name": .string("x")]))
      try await trial.merge()
      try author.save(names.insert("Stop", stop, stopFields.filter { $0.key != "city" }))
      try trial.saveOnReceivers { $0.update("Trip", trip, ["rating": .int(3)]) }
      try author.save(names.delete("Trip", trip))
    case .editedBelowDeleted:
      try author.save(names.insert("Trip", trip, ["name": .string("x")]))
      try author.save(names.insert("Stop", stop, stopFields.filter { $0.key != "city" }))
      try await trial.merge()
      try trial.saveOnReceivers { $0.update("Stop", stop, ["title": .string("mine")]) }
      try author.save(names.update("Stop", stop, ["title": .string("theirs"), "position": .int(4)]))
      try author.save(names.delete("Trip", trip))
    case .targetOfTakenValue:
      try trial.saveOnReceivers { $0.insert("City", other, ["name": .string("x")]) }
      try author.save(names.insert("City", city, ["name": .string("x")]))
      try author.save(names.insert("Trip", trip, ["name": .string("y")]))
      try author.save(names.insert("Stop", stop, stopFields))
    case .twiceInOneMerge:
      // The second replica of the author's id space claims the value that the first one gave up.
      try author.save(names.insert("City", city, ["name": .string("x")]))
      try author.save(names.update("City", city, ["name": .string("y")]))
      try author.save(names.insert("City", other, ["name": .string("x")]))
      try author.save(names.insert("Trip", trip, ["name": .string("y")]))
      try author.save(names.insert("Stop", stop, stopFields))
    case .belowWaiting:
      try trial.saveOnReceivers { $0.insert("Trip", trip, ["name": .string("x")]) }
      try await trial.receivers[0].send(to: author)
      try trial.saveOnReceivers { $0.delete("Trip", trip) }
      try author.save(names.insert("Stop", stop, stopFields.filter { $0.key != "city" }))
      try author.save(names.update("Stop", stop, ["title": .string("b")]))
    }
    let plainCount = trial.plainCount
    try await trial.merge()
    #expect(trial.plainCount == plainCount, "rules must look at some of it")
    try await trial.receivers[0].send(to: author)
    try await trial.merge()
    for replica in trial.receivers { try expectSound(replica.store) }
  }

  enum Reached: CaseIterable {
    case newBelowDeleted, editedBelowDeleted, targetOfTakenValue, twiceInOneMerge, belowWaiting
  }

  @Test func `a value that another writer spells differently is spelled as here`() async throws {
    // Zero as an exponent of one: a decimal that this store would never write.
    let odd: [UInt8] = [1, 0, 0]
    let trial = try Trial(isOdd: false, generator: SeededGenerator.announced())
    let names = trial.authors[0].names
    let stamp = Stamp(time: 1 << 20, counter: 0, replica: ReplicaID(9))
    let facts = TransactionFacts(
      dot: Dot(replica: ReplicaID(9), sequence: 1), stamp: stamp, author: nil, context: VersionVector(),
      records: [
        RecordFacts(
          entity: names.entity("Article"), id: fixtureID(1), isInserted: true, touch: stamp,
          registers: [
            .init(ordinal: names.ordinal("Article", "title"), value: .string("a"), stamp: stamp),
            .init(ordinal: names.ordinal("Article", "price"), value: .data(Data(odd)), stamp: stamp),
          ])
      ])
    let author = try trial.authors[0].store.read { $0.catalogue }
    let types = FieldTypes(author, subject: "it")
    let transaction = try EncodedTransaction(TransactionCodec.encode(facts), fieldType: types.type)
    var batch = ImportBatch(replica: ReplicaID(9), author: author)
    batch.append(transaction)
    let engine = trial.receivers[0].engine()
    let result = try await engine.merge(batch, 1).0
    #expect(!result.isPlain && result.takenCount == 0 && result.changes.count == 1)
    #expect(try trial.receivers[0].store.value("Article", fixtureID(1), "price") == .decimal(0))
    try expectSound(trial.receivers[0].store)
  }
}

/// Two authors, and two receivers that are one and the same replica, but for what their rules look at.
private struct Trial {
  let authors: [TestReplica]
  let receivers: [TestReplica]
  private(set) var plainCount = 0
  /// How many merges were divided between rules and none.
  private(set) var dividedCount = 0
  private(set) var conflictCount = 0
  private var work: RandomWork

  init(isOdd: Bool, generator: SeededGenerator) throws {
    var schema = StoreSchema.fixture
    schema.entities.append(.article)
    func replica(_ number: UInt64, savesPlainly: Bool = true) throws -> TestReplica {
      try TestReplica(schema: schema, replica: ReplicaID(number), savesPlainly: savesPlainly)
    }
    authors = [try replica(1), try replica(3)]
    receivers = [try replica(2), try replica(2, savesPlainly: false)]
    work = RandomWork(isOdd: isOdd, names: authors[0].names, generator: generator)
  }

  /// Whether the comparison of the two says nothing yet.
  func saysLittle(_ isOdd: Bool) -> Bool { plainCount <= 3 || conflictCount == 0 || isOdd && dividedCount == 0 }

  /// As ``step()``, by the authors alone.
  mutating func work() async throws {
    let author = work.generator.pick(authors)
    try save(try work.changes(on: author.store), on: author)
    if work.generator.oneIn(3) { try await authors[1].send(to: authors[0]) }
    if work.generator.oneIn(3) { try await authors[0].send(to: authors[1]) }
  }

  /// Brings all that the first author knows to both receivers by a snapshot alone, and compares what came of it.
  func join() async throws {
    try await authors[1].send(to: authors[0])
    _ = try await authors[0].engine().writeSnapshot()
    for receiver in receivers {
      _ = try ExchangeCopy(source: authors[0].exchange, target: receiver.exchange).run()
      for author in authors {
        try FileManager.default.removeItem(at: receiver.exchange.stream(of: try author.id))
      }
      receiver.clock.advance()
      let report = try await receiver.engine().import()
      #expect(report.snapshotsJoined == 1, "\(report.waiting)")
      let (known, taken) = (
        try authors[0].store.read { try $0.versionVector }, try receiver.store.read { try $0.versionVector }
      )
      #expect(known.entries.allSatisfy { taken.sequence(of: $0.key) >= $0.value.sequence })
    }
    try compare()
  }

  mutating func step() async throws {
    for _ in 0..<Int.random(in: 1...6, using: &work.generator) {
      let place = Int.random(in: 0..<3, using: &work.generator)
      let writers = place < 2 ? [authors[place]] : receivers
      let changes = try work.changes(on: writers[0].store)
      for replica in writers { try save(changes, on: replica) }
    }
    switch Int.random(in: 0..<4, using: &work.generator) {
    case 0, 1: try await merge()
    case 2: for author in authors { try await receivers[0].send(to: author) }
    default: try await authors[0].send(to: authors[1])
    }
  }

  func saveOnReceivers(_ change: (FixtureNames) -> RecordChange) throws {
    for receiver in receivers { try receiver.save(change(receiver.names)) }
  }

  private func save(_ changes: [RecordChange], on replica: TestReplica) throws {
    replica.clock.advance()
    do {
      _ = try replica.store.commit(SaveRequest(changes: changes))
    } catch let error as StoreError
      where [.recordNotFound, .deleteDenied, .uniquenessViolation, .countViolation].contains(error.code)
    {
      // The record that chance chose is not there on this replica, or may not go.
      return
    }
  }

  /// Brings the authors' streams to both receivers, and compares what came of it.
  mutating func merge() async throws {
    var conflicts: [Int] = []
    for receiver in receivers {
      for author in authors {
        _ = try await author.engine().export()
        _ = try ExchangeCopy(source: author.exchange, target: receiver.exchange).run()
      }
      receiver.clock.advance()
      conflicts.append(try await takeIn(receiver))
    }
    #expect(conflicts[0] == conflicts[1])
    conflictCount += conflicts[0]
    try compare()
  }

  private func compare() throws {
    let tables = try receivers.map { try $0.store.tables { $0.isOfMerges } }
    for name in Set(tables[0].keys).union(tables[1].keys).sorted() where tables[0][name] != tables[1][name] {
      Issue.record("table \(name) differs")
    }
    let history = try receivers.map { try $0.store.historyInKeyOrder() }
    #expect(history[0] == history[1])
  }

  /// File by file; returns how many conflicts were new.
  private mutating func takeIn(_ receiver: TestReplica) async throws -> Int {
    let engine = receiver.engine()
    let own = try receiver.id
    var conflicts = 0
    for replica in try receiver.exchange.knownReplicas() where replica != own {
      for file in try receiver.exchange.listing(of: replica).files {
        let have = try receiver.store.read { try $0.versionVector.sequence(of: replica) }
        guard file.to > have else { continue }
        let set = try file.read(expecting: receiver.exchange, replica: replica)
        let author = try SchemaDescription.decode(set.schemaDescription, subject: file.path)
        var batch = ImportBatch(replica: replica, author: author)
        for transaction in try ImportBatch.read(set, author: author, after: have, subject: file.path) {
          batch.append(transaction)
        }
        let now = receiver.clock.wallClock.now()
        let (result, outcome) = try await engine.merge(batch, now)
        conflicts += outcome.conflicts
        if result.isPlain { plainCount += 1 }
        if !result.isPlain, result.takenCount > 0 { dividedCount += 1 }
      }
    }
    return conflicts
  }
}

extension [UInt8] {
  /// What a merge writes beside the records.
  fileprivate var isOfMerges: Bool { starts(with: SyncAttachment.conflicts) || starts(with: SyncAttachment.contexts) }
}
