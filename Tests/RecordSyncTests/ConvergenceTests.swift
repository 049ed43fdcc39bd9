import Foundation
import RecordStore
import TestSupport
import Testing

@testable import RecordSync

/// Random work on several replicas, random exchange between them: in the end all know the same.
struct ConvergenceTests {
  /// What the replicas do by chance. Names of trips are unique and few, and change, so that records are joined by them,
  /// and come apart.
  private struct Worker {
    var generator: SeededGenerator
    var next: UInt64 = 1

    mutating func work(on replica: TestReplica) throws {
      replica.clock.advance(byMilliseconds: UInt64.random(in: 0...3, using: &generator))
      var request = SaveRequest(changes: try change(on: replica))
      // A few keys, so that replicas run the same effect apart.
      if generator.oneIn(6) { request = try effect(Int.random(in: 0..<5, using: &generator), on: replica) }
      do {
        _ = try replica.store.commit(request)
      } catch let error as StoreError
        where [.recordNotFound, .deleteDenied, .uniquenessViolation].contains(error.code)
      {
        // The record that chance chose is not there on this replica, or may not go.
        return
      }
    }

    private mutating func effect(_ number: Int, on replica: TestReplica) throws -> SaveRequest {
      let trip = replica.names.insert("Trip", fixtureID(1 << 50), ["name": .string("effect \(number)")])
      let note = replica.names.insert(
        "Note", fixtureID(2 << 50),
        ["text": .string("effect"), "x": .double(Double.random(in: 0...9, using: &generator))]
      )
      let key = try OnceKey("effect \(number)")
      let known = key.recordID(entity: "Trip", ordinal: 0)
      switch Int.random(in: 0..<3, using: &generator) {
      case 0: return SaveRequest(changes: [replica.names.delete("Trip", known)])
      case 1: return SaveRequest(changes: [replica.names.update("Trip", known, ["rating": .int(7)])])
      default: return SaveRequest(changes: [trip, note], once: key)
      }
    }

    private mutating func change(on replica: TestReplica) throws -> [RecordChange] {
      let names = replica.names
      let some = fixtureID(UInt64.random(in: 1...max(1, next), using: &generator))
      switch Int.random(in: 0..<10, using: &generator) {
      case 0, 1:
        next += 1
        return [names.insert("Trip", fixtureID(next), ["name": .string("trip \(next % 12)")])]
      case 2:
        next += 1
        return [
          names.insert(
            "Note", fixtureID(next), ["text": .string("note \(next)"), "x": .double(Double(next))])
        ]
      case 3: return [names.update("Trip", some, ["rating": .int(Int64.random(in: 0...9, using: &generator))])]
      case 4: return [names.update("Note", some, ["y": .double(Double.random(in: 0...9, using: &generator))])]
      case 5: return [names.delete("Trip", some)]
      case 6: return [names.delete("Note", some)]
      case 7, 8:
        return [names.update("Trip", some, ["name": .string("trip \(UInt64.random(in: 0..<12, using: &generator))")])]
      default:
        next += 1
        return [
          names.insert(
            "Stop", fixtureID(next),
            ["title": .string("stop"), "position": .int(Int64(next)), "trip": .reference(some)])
        ]
      }
    }
  }

  @Test(arguments: 0..<4) func `three replicas that exchange in any order end with equal dumps`(round: Int) async throws
  {
    try await converge(SeededGenerator.announced("three replicas, round \(round)"))
  }

  @Test(arguments: [13_315_699_007_699_307_091, 10_161_845_929_503_171_083] as [UInt64])
  func `replicas that have files to join when they are equal stay equal`(seed: UInt64) async throws {
    let housekeeping = try await converge(SeededGenerator(seed: seed))
    #expect(housekeeping.contains { $0.filesCompacted > 0 })
  }

  /// Reports of the first synchronisation of each replica after all know the same: it may put its own folder in order,
  /// once, and nothing else.
  @discardableResult
  private func converge(_ seeded: SeededGenerator) async throws -> [SyncReport] {
    var generator = seeded
    let replicas = [try TestReplica(), try TestReplica(), try TestReplica()]
    var worker = Worker(generator: SeededGenerator(seed: generator.next()))
    for _ in 0..<60 {
      for _ in 0..<Int.random(in: 1...6, using: &generator) { try worker.work(on: generator.pick(replicas)) }
      let (from, to) = (generator.pick(replicas), generator.pick(replicas))
      if from !== to { try await from.send(to: to) }
    }
    try await exchangeAll(replicas)
    let dumps = try replicas.map { try $0.dump }
    #expect(dumps[0] == dumps[1])
    #expect(dumps[0] == dumps[2])
    #expect(dumps[0].count > 10)
    for replica in replicas { try expectSound(replica.store) }
    var reports: [SyncReport] = []
    for replica in replicas {
      var report = try await replica.engine().sync()
      reports.append(report)
      report.filesCompacted = 0
      #expect(report.isUnchanged)
      #expect(try await replica.engine().sync().isUnchanged)
      #expect(try replica.dump == dumps[0])
    }
    return reports
  }

  /// Everybody sends to everybody, twice: what one passes on for another arrives in the second round.
  private func exchangeAll(_ replicas: [TestReplica]) async throws {
    for _ in 0..<2 {
      for from in replicas {
        for to in replicas where to !== from { try await from.send(to: to) }
      }
    }
  }

  @Test func `one batch and many small ones give the same`() async throws {
    var generator = SeededGenerator.announced()
    let phone = try TestReplica()
    var worker = Worker(generator: SeededGenerator(seed: generator.next()))
    for _ in 0..<120 { try worker.work(on: phone) }
    _ = try await phone.engine { $0.changeSetBytes = 2000 }.export()
    let (whole, small) = (try TestReplica(), try TestReplica())
    for (replica, size) in [(whole, 100_000), (small, 1)] {
      _ = try ExchangeCopy(source: phone.exchange, target: replica.exchange).run()
      _ = try await replica.engine { $0.recordsPerCommit = size }.import()
    }
    #expect(try whole.dump == phone.dump)
    #expect(try small.dump == phone.dump)
  }

  @Test func `changes pass over a device in between`() async throws {
    let (phone, tablet, laptop) = (try TestReplica(), try TestReplica(), try TestReplica())
    try phone.save(phone.names.insert("Tag", fixtureID(1), ["name": .string("from the phone")]))
    try await phone.send(to: tablet)
    try tablet.save(tablet.names.update("Tag", fixtureID(1), ["name": .string("from the tablet")]))
    let report = try await tablet.send(to: laptop)
    #expect(report.transactionsMerged == 2)
    #expect(report.conflicts == 0)
    #expect(try laptop.dump == tablet.dump)
  }
}
