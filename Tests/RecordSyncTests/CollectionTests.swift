import Foundation
import RecordStore
import StoreTables
import TestSupport
import Testing

@testable import RecordSync

/// Dead records go, and nobody sees a difference.
struct CollectionTests {
  /// What chance lets the replicas do, the same in two worlds of which only one collects.
  private enum Step {
    case save(on: Int, [RecordChange])
    case send(from: Int, to: Int)
    case collect(on: Int)
  }

  private static func steps(
    _ count: Int, replicas: Int, names: FixtureNames, from start: UInt64 = 0, using generator: inout SeededGenerator
  ) -> [Step] {
    var next = start
    return (0..<count).map { _ in
      // An id names one record of one entity, on whichever replica it is made.
      func id(_ entity: UInt64, _ number: UInt64) -> RecordID { fixtureID(entity * 1000 + number) }
      func some(_ entity: UInt64, _ generator: inout SeededGenerator) -> RecordID {
        id(entity, UInt64.random(in: 1...max(1, next), using: &generator))
      }
      let on = Int.random(in: 0..<replicas, using: &generator)
      switch Int.random(in: 0..<16, using: &generator) {
      case 0, 1:
        next += 1
        return .save(on: on, [names.insert("Trip", id(1, next), ["name": .string("trip \(next)")])])
      case 2:
        next += 1
        return .save(on: on, [names.insert("Tag", id(2, next), ["name": .string("tag \(next % 5)")])])
      case 3, 4:
        next += 1
        return .save(
          on: on,
          [
            names.insert(
              "Stop", id(3, next),
              ["title": .string("stop"), "position": .int(Int64(next)), "trip": .reference(some(1, &generator))])
          ])
      case 5: return .save(on: on, [names.update("Trip", some(1, &generator), ["rating": .int(Int64(next))])])
      case 6:
        return .save(on: on, [names.update("Stop", some(3, &generator), ["trip": .reference(some(1, &generator))])])
      case 7, 8: return .save(on: on, [names.delete("Trip", some(1, &generator))])
      case 9:
        return .save(on: on, [names.delete("Stop", some(3, &generator)), names.delete("Tag", some(2, &generator))])
      case 10: return .save(on: on, [names.link("Tag", some(2, &generator), "trips", some(1, &generator))])
      case 11: return .collect(on: on)
      default: return .send(from: on, to: Int.random(in: 0..<replicas, using: &generator))
      }
    }
  }

  private struct World {
    let replicas: [TestReplica]
    let collects: Bool
    var collected = 0

    init(count: Int, collects: Bool) throws {
      let clock = ManualClock()
      replicas = try (0..<count).map { _ in try TestReplica(clock: clock) }
      self.collects = collects
    }

    mutating func perform(_ step: Step) async throws {
      replicas[0].clock.advance(byMilliseconds: 5)
      switch step {
      case .save(let on, let changes):
        do {
          _ = try replicas[on].store.commit(SaveRequest(changes: changes))
        } catch let error as StoreError
          where [.recordNotFound, .deleteDenied, .uniquenessViolation].contains(error.code)
        {
          return
        }
      case .send(let from, let to):
        if from != to { try await replicas[from].send(to: replicas[to]) }
      case .collect(let on):
        guard collects else { return }
        let before = try CanonicalDump.lines(of: replicas[on].store, includesDead: false)
        collected += try await replicas[on].engine().collect().recordsCollected
        #expect(try CanonicalDump.lines(of: replicas[on].store, includesDead: false) == before)
      }
    }

    func exchangeAll() async throws {
      for _ in 0..<3 {
        for from in replicas {
          for to in replicas where to !== from { try await from.send(to: to) }
        }
      }
    }
  }

  @Test(arguments: 0..<4) func `a family that collects shows what one shows that never does`(round: Int) async throws {
    var generator = SeededGenerator.announced("collection, round \(round)", round: round)
    let count = Int.random(in: 2...4, using: &generator)
    var (small, large) = (try World(count: count, collects: true), try World(count: count, collects: false))
    try await small.exchangeAll()
    try await large.exchangeAll()
    for step in CollectionTests.steps(150, replicas: count, names: small.replicas[0].names, using: &generator) {
      try await small.perform(step)
      try await large.perform(step)
    }
    try await small.exchangeAll()
    try await large.exchangeAll()
    for replica in small.replicas {
      #expect(try visible(replica) == visible(large.replicas[0]))
      #expect(try replica.dump == small.replicas[0].dump)
      try expectSound(replica.store)
    }
    let last = try await small.replicas[0].engine().collect().recordsCollected
    print("collection, round \(round): \(small.collected) and \(last) records collected")
  }

  /// One replica sleeps, with work of its own; the others retire it, collect, and go on. It wakes, and a device that
  /// nobody knew begins from its folder. Then all exchange everything.
  @Test(arguments: 0..<4) func `a retired replica that returns and a newcomer with old files end equal with the rest`(
    round: Int
  ) async throws {
    var generator = SeededGenerator.announced("return of the retired, round \(round)", round: round)
    var world = try World(count: 4, collects: true)
    let (sleeper, newcomer) = (world.replicas[2], world.replicas[3])
    let names = sleeper.names
    for _ in 0..<2 {
      for from in world.replicas[..<3] {
        for to in world.replicas[..<3] where to !== from { try await from.send(to: to) }
      }
    }
    for step in CollectionTests.steps(60, replicas: 3, names: names, using: &generator) {
      try await world.perform(step)
    }
    _ = try ExchangeCopy(source: sleeper.exchange, target: newcomer.exchange).run()
    if generator.oneIn(2) { _ = try await newcomer.engine().import() }
    let awake = CollectionTests.steps(80, replicas: 2, names: names, from: 100, using: &generator)
    for (index, step) in awake.enumerated() {
      if index == 20 { _ = try await world.replicas[0].engine().retire(sleeper.id) }
      try await world.perform(step)
      guard index % 4 == 0 else { continue }
      for step in CollectionTests.steps(
        1, replicas: 1, names: names, from: 200 + UInt64(index), using: &generator)
      {
        guard case .save(_, let changes) = step else { continue }
        try await world.perform(.save(on: generator.oneIn(2) ? 2 : 3, changes))
      }
    }
    for _ in 0..<2 { try await world.exchangeAll() }
    for replica in world.replicas {
      let left = Set(try CanonicalDump.lines(of: world.replicas[0].store, includesDead: false))
      let right = Set(try CanonicalDump.lines(of: replica.store, includesDead: false))
      #expect(left.subtracting(right).sorted() == right.subtracting(left).sorted())
      try expectSound(replica.store)
      #expect(try await replica.engine().import().isUnchanged)
    }
  }

  @Test func `the cut waits for what a replica wrote before it showed its knowledge`() {
    let (own, other) = (ReplicaID(1), ReplicaID(2))
    let delete = VersionVector.Entry(sequence: 5, stamp: stamp(5, 1))
    var applied = VersionVector(entries: [own: delete])
    let head = ReplicaHead(
      storeID: id(1), replica: other, lastSequence: 3, clock: stamp(9, 2),
      applied: VersionVector(entries: [own: delete, other: .init(sequence: 3, stamp: stamp(4, 2))]), displayName: "")
    let early = StableCut(own: own, applied: applied, heads: [other: [head]], known: [own, other])
    #expect(early.cut == nil)
    #expect(early.blockers == [other: .transactionsMissing(upTo: 3)])
    let wrong = StableCut(
      own: own, applied: applied, heads: [other: [head]], known: [own, other], isAcknowledgementEnough: true)
    #expect(wrong.cut?.entries[own] == delete)
    applied.entries[other] = .init(sequence: 3, stamp: stamp(4, 2))
    #expect(StableCut(own: own, applied: applied, heads: [other: [head]], known: [own, other]).cut == applied)
    #expect(StableCut(own: own, applied: applied, heads: [:], known: [own]).cut == nil)
    #expect(StableCut(own: own, applied: applied, heads: [:], known: [own, other]).blockers == [other: .noHead])
  }

  /// What readers see, without stamps: a collection is a transaction, too.
  private func visible(_ replica: TestReplica) throws -> [String] {
    try replica.store.read { snapshot in
      var lines: [String] = []
      for entity in snapshot.catalogue.entities {
        try snapshot.forEachFacts(of: entity.number) { facts, isVisible in
          guard isVisible, let image = try snapshot.record(facts.id, of: entity.number) else { return }
          let values = entity.fields.map { field in
            image.withView { $0.isNull(at: field.ordinal) } ? "-" : "\(image.value(of: field))"
          }
          lines.append("\(entity.name) \(facts.id) \(values)")
        }
      }
      return lines
    }
  }

  @Test func `where no clock ever was credible nothing is old enough to go`() async throws {
    let clock = ManualClock(milliseconds: 5)
    let (phone, laptop) = (try TestReplica(clock: clock), try TestReplica(clock: clock))
    try phone.save(phone.names.insert("Trip", fixtureID(1), ["name": .string("Rome")]))
    try phone.save(phone.names.delete("Trip", fixtureID(1)))
    for _ in 0..<3 {
      try await phone.send(to: laptop)
      try await laptop.send(to: phone)
    }
    for replica in [phone, laptop] {
      #expect(try await replica.engine { $0.maintenanceIntervalSeconds = 0 }.sync().recordsCollected == 0)
      #expect(try replica.store.read { try $0.facts(fixtureID(1), of: phone.names.entity("Trip")) } != nil)
    }
  }

  /// One run with a clock of another century forgot all history, for the undoing of which readers had 90 days.
  @Test func `a clock that runs ahead for a while makes no history old`() async throws {
    let start = HybridClock.earliestCredibleMilliseconds + 1_000_000
    let day: UInt64 = 86_400_000
    let clock = ManualClock(milliseconds: start)
    let (phone, laptop) = (try TestReplica(clock: clock), try TestReplica(clock: clock))
    func exchange() async throws {
      for _ in 0..<3 {
        try await phone.send(to: laptop)
        try await laptop.send(to: phone)
      }
    }
    func historyCount() throws -> Int { try phone.store.historyInKeyOrder().count }
    try phone.save(phone.names.insert("Trip", fixtureID(1), ["name": .string("Rome")]))
    try laptop.save(laptop.names.insert("Trip", fixtureID(2), ["name": .string("Oslo")]))
    try await exchange()
    let before = try historyCount()
    #expect(before > 0)
    clock.milliseconds = start + 27_000 * day
    _ = try await phone.engine { $0.maintenanceIntervalSeconds = 0 }.sync()
    #expect(try historyCount() == before)
    clock.milliseconds = start + 100 * day
    try phone.save(phone.names.insert("Trip", fixtureID(3), ["name": .string("Bern")]))
    try await exchange()
    _ = try await phone.engine { $0.maintenanceIntervalSeconds = 0 }.sync()
    #expect(try historyCount() < before)
  }

  @Test(arguments: [Double.infinity, .nan, 1e300])
  func `what is never old enough never goes`(age: Double) async throws {
    let (phone, laptop) = (try TestReplica(), try TestReplica())
    try phone.save(phone.names.insert("Trip", fixtureID(1), ["name": .string("Rome")]))
    try phone.save(phone.names.delete("Trip", fixtureID(1)))
    for _ in 0..<3 {
      try await phone.send(to: laptop)
      try await laptop.send(to: phone)
    }
    let engine = phone.engine {
      ($0.maintenanceIntervalSeconds, $0.collectionAgeSeconds, $0.historyRetentionSeconds) = (age, age, age)
    }
    for _ in 0..<2 { #expect(try await engine.sync().recordsCollected == 0) }
    #expect(try phone.store.collectExternalValues(unusedForSeconds: age).removedCount == 0)
    #expect(try phone.store.read { try $0.history(after: 0).count } > 0)
  }

  @Test func `a replica that has not shown that it knows the delete keeps all others from collecting`() async throws {
    let replicas = [try TestReplica(), try TestReplica(), try TestReplica()]
    let (phone, laptop, tablet) = (replicas[0], replicas[1], replicas[2])
    try phone.save(phone.names.insert("Trip", fixtureID(1), ["name": .string("Rome")]))
    for _ in 0..<2 {
      for from in replicas { for to in replicas where to !== from { try await from.send(to: to) } }
    }
    try phone.save(phone.names.delete("Trip", fixtureID(1)))
    for _ in 0..<2 {
      try await phone.send(to: laptop)
      try await laptop.send(to: phone)
    }
    #expect(try await phone.engine().collect().recordsCollected == 0)
    try await phone.send(to: tablet)
    try await tablet.send(to: phone)
    #expect(try await phone.engine().collect().recordsCollected == 1)
    #expect(try await phone.engine().collect().recordsCollected == 0)
    for other in [laptop, tablet] {
      #expect(try await phone.send(to: other).recordsCollected == 1)
      #expect(try other.dump == phone.dump)
    }
  }
}

extension SeededGenerator {
  /// Rounds of one seed differ.
  fileprivate static func announced(_ name: String, round: Int) -> SeededGenerator {
    SeededGenerator(seed: announced(name).seed &+ UInt64(round))
  }
}
