import Foundation
import RecordStore
import Synchronization
import TestSupport
import Testing

@testable import RecordSync

/// What an engine tells while it works, and what others on the store see of it.
struct SyncEventTests {
  private func filled(_ count: Int, clock: ManualClock = ManualClock()) throws -> TestReplica {
    let replica = try TestReplica(clock: clock)
    for number in 0..<count {
      try replica.save(
        replica.names.insert("Tag", fixtureID(UInt64(number + 1)), ["name": .string("tag \(number)")]))
    }
    return replica
  }

  private func collected(_ stream: AsyncStream<SyncEvent>) async -> [SyncEvent] {
    var events: [SyncEvent] = []
    for await event in stream { events.append(event) }
    return events
  }

  @Test func `events come in order with totals, to every listener, and end with the engine`() async throws {
    let phone = try filled(20)
    var engine: SyncEngine? = phone.engine { $0.changeSetBytes = 200 }
    let streams = [try #require(engine).events, try #require(engine).events]
    let report = try await #require(engine).export()
    engine = nil
    let events = await collected(streams[0])
    #expect(await collected(streams[1]) == events)
    #expect(events.first == .began(.export))
    #expect(events.last == .ended(.export, report))
    let reached = events.compactMap { event -> UInt64? in
      guard case .exported(_, let reached, let last) = event else { return nil }
      #expect(last == 20)
      return reached
    }
    #expect(reached.count == report.filesExported)
    #expect(reached.count > 3)
    #expect(reached == reached.sorted())
    #expect(reached.last == 20)

    let laptop = try TestReplica()
    _ = try ExchangeCopy(source: phone.exchange, target: laptop.exchange).run()
    var importing: SyncEngine? = laptop.engine { $0.recordsPerCommit = 3 }
    let stream = try #require(importing).events
    _ = try await #require(importing).import()
    importing = nil
    let merged = await collected(stream).compactMap { event -> UInt64? in
      guard case .merged(_, let reached, of: 20) = event else { return nil }
      return reached
    }
    #expect(merged == merged.sorted())
    #expect(merged.count == 7)
    #expect(merged.last == 20)
  }

  @Test func `a run that fails says that it stopped`() async throws {
    let phone = try filled(1)
    _ = try await phone.engine().export()
    try FileManager.default.removeItem(at: phone.exchange.url)
    var engine: SyncEngine? = phone.engine()
    let stream = try #require(engine).events
    let error = await #expect(throws: SyncError.self) { try await engine?.export() }
    #expect(error?.code == .folderMissing)
    engine = nil
    #expect(await collected(stream) == [.began(.export), .stopped(.export)])
  }

  @Test func `a listener that falls behind keeps the newest events, and one after the end gets none`() async {
    let feed = EventFeed<SyncEvent>()
    let stream = feed.stream()
    for number in 0..<UInt64(EventFeed<SyncEvent>.bufferedCount + 5) {
      feed.send(.merged(replica: ReplicaID(1), upTo: number, of: 5000))
    }
    feed.end()
    let events = await collected(stream)
    #expect(events.count == EventFeed<SyncEvent>.bufferedCount)
    #expect(events.first == .merged(replica: ReplicaID(1), upTo: 5, of: 5000))
    #expect(await collected(feed.stream()).isEmpty)
  }

  @Test(arguments: 0..<4)
  func `an export that is cancelled leaves whole files, and the next goes on`(after files: Int) async throws {
    let phone = try filled(20)
    let started = Mutex<Task<SyncReport, any Error>?>(nil)
    let count = Mutex(0)
    let engine = phone.engine { options in
      options.changeSetBytes = 200
      options.progress = { event in
        guard case .exported = event else { return }
        let isEnough = count.withLock { count in
          count += 1
          return count > files
        }
        if isEnough { started.withLock { $0?.cancel() } }
      }
    }
    started.withLock { task in task = Task { try await engine.export() } }
    let task = try #require(started.withLock { $0 })
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try phone.exchange.listing(of: phone.id).files.count == files + 1)
    #expect(try phone.exchange.listing(of: phone.id).refused == [])
    let laptop = try TestReplica()
    try await phone.send(to: laptop)
    #expect(try laptop.dump == phone.dump)
    try expectSound(laptop.store)
  }

  @Test func `two engines on one store at the same time do each thing once`() async throws {
    let (phone, laptop) = (try filled(60), try TestReplica())
    let engines = (0..<2).map { _ in phone.engine { $0.changeSetBytes = 200 } }
    async let first = engines[0].export()
    async let second = engines[1].export()
    let exported = try await [first, second]
    #expect(exported.map(\.transactionsExported).reduce(0, +) >= 60)
    #expect(try phone.exchange.listing(of: phone.id).refused == [])
    _ = try ExchangeCopy(source: phone.exchange, target: laptop.exchange).run()
    let readers = (0..<2).map { _ in laptop.engine { $0.recordsPerCommit = 7 } }
    async let third = readers[0].import()
    async let fourth = readers[1].import()
    let merged = try await [third, fourth]
    #expect(merged.map(\.transactionsMerged).reduce(0, +) == 60)
    #expect(try laptop.dump == phone.dump)
    #expect(try laptop.store.read { try $0.history(after: 0).flatMap(\.changes).count } == 60)
    for replica in [phone, laptop] { try expectSound(replica.store) }
  }

  @Test func `a merge is told to observers of the store and stands in history as one`() async throws {
    let (phone, laptop) = (try filled(2), try TestReplica())
    var changes = laptop.store.changes.makeAsyncIterator()
    try await phone.send(to: laptop)
    let transaction = try #require(try await changes.next())
    #expect(transaction.isMerge)
    #expect(transaction.dot == Dot(replica: try phone.id, sequence: 2))
    #expect(transaction.changes.map(\.kind) == [.insert, .insert])
    #expect(try laptop.store.read { try $0.history(after: 0) } == [transaction])
  }
}
