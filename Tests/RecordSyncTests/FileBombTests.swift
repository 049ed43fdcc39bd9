import Foundation
import RecordStore
import Synchronization
import TestSupport
import Testing

@testable import RecordSync

/// Small files with right checksums that cost much. One of 34 KB with millions of empty transactions took most of a
/// minute at each synchronisation, one of 4 MB took gigabytes of memory, and both were passed on to everybody.
struct FileBombTests {
  private static let stranger = ReplicaID(0x5757)

  private func set(_ transactions: [[UInt8]], in replica: TestReplica) throws -> ChangeSet {
    ChangeSet(
      storeID: TestReplica.family, replica: Self.stranger, firstSequence: 1, previousHash: ContentHash.none.bytes,
      schemaDescription: try SchemaDescription.encode(replica.store.read { $0.catalogue }), transactions: transactions)
  }

  @discardableResult
  private func plant(_ bytes: [UInt8], to last: Int, in replica: TestReplica) throws -> URL {
    let name = ChangeSetName(from: 1, to: UInt64(last), hash: ContentHash(of: bytes)).text
    let place = replica.exchange.stream(of: Self.stranger)
    try DurableFile.publish(bytes, named: name, in: place)
    return place.appending(path: name)
  }

  @Test func `a file of more transactions than any device writes is refused before it is unpacked`() async throws {
    let phone = try TestReplica()
    let most = Int(ChangeSetHeader.maximumTransactionCount)
    let bytes = ChangeSetCodec.encode(try set(Array(repeating: [], count: most + 1), in: phone))
    #expect(bytes.count < 16 << 10)
    #expect(syncErrorCode { _ = try ChangeSetHeader(bytes[...], subject: "it") } == .damagedFile)
    let allowed = ChangeSetCodec.encode(try set(Array(repeating: [], count: most), in: phone))
    #expect(try ChangeSetHeader(allowed[...], subject: "it").to == UInt64(most))
  }

  @Test func `what would be unpacked to far more than it is lies in its file as it is`() throws {
    let phone = try TestReplica()
    // One block more than what is free.
    let blank = [UInt8](repeating: 0, count: ChangeSetHeader.freePayloadBytes)
    let large = try set([blank], in: phone)
    let bytes = ChangeSetCodec.encode(large)
    #expect(bytes.count > blank.count)
    #expect(try ChangeSetCodec.decode(bytes) == large)
    #expect(!ChangeSetHeader.isExpansionAllowed(UInt64(blank.count) + 4, in: 300_000))
    #expect(ChangeSetHeader.isExpansionAllowed(UInt64(blank.count), in: 300_000))
    let small = try set([[UInt8](repeating: 0, count: 1 << 20)], in: phone)
    #expect(ChangeSetCodec.encode(small).count < 20_000)
  }

  /// What a synchronisation reads of a file, as calls.
  private func reads(of file: URL, _ body: () async throws -> Void) async throws -> Int {
    let count = Mutex(0)
    let watcher: @Sendable (FileCall, String) -> Int32? = { call, path in
      if call == .read, path == file.path { count.withLock { $0 += 1 } }
      return nil
    }
    try await FileCall.$watcher.withValue(watcher, operation: body)
    return count.withLock { $0 }
  }

  @Test func `a refused file is named at each synchronisation, and read once until it is written again`() async throws {
    let phone = try TestReplica()
    _ = try await phone.engine().sync()
    let bytes = ChangeSetCodec.encode(try set(Array(repeating: [], count: 1000), in: phone))
    let file = try plant(bytes, to: 1000, in: phone)
    #expect(try await reads(of: file) { _ = try await phone.engine().import() } > 0)
    for number in 0..<2 as Range<UInt64> {
      try phone.save(phone.names.insert("Tag", fixtureID(number), ["name": .string("tag \(number)")]))
      let count = try await reads(of: file) {
        let report = try await phone.engine().import()
        #expect(report.refused.count == 1)
        #expect(report.refused.first?.reason.contains(file.lastPathComponent) == true)
      }
      #expect(count == 0)
    }
    try Data(bytes).write(to: file)
    #expect(try await reads(of: file) { _ = try await phone.engine().import() } > 0)
    // Once a day it is tried again.
    phone.clock.advance(byMilliseconds: 2 * 86_400_000)
    _ = try await phone.engine().sync()
    #expect(try await reads(of: file) { _ = try await phone.engine().import() } > 0)
  }

  @Test func `a file that the system did not give out once is read at the next run`() async throws {
    let (phone, laptop) = (try TestReplica(), try TestReplica())
    try phone.save(phone.names.insert("Tag", fixtureID(1), ["name": .string("one")]))
    _ = try await phone.engine().export()
    _ = try ExchangeCopy(source: phone.exchange, target: laptop.exchange).run()
    let watcher: @Sendable (FileCall, String) -> Int32? = { call, path in
      call == .read && path.hasSuffix(".tcs") ? EMFILE : nil
    }
    try await FileCall.$watcher.withValue(watcher) {
      let report = try await laptop.engine().import()
      #expect(report.refused.count == 1 && !report.isComplete)
    }
    #expect(try await laptop.engine().import().isComplete)
    #expect(try laptop.store.isVisible("Tag", fixtureID(1)))
  }

  @Test func `a file that was refused and is whole now is taken`() async throws {
    let (phone, laptop) = (try TestReplica(), try TestReplica())
    try phone.save(phone.names.insert("Tag", fixtureID(1), ["name": .string("one")]))
    try await phone.send(to: laptop)
    try phone.save(phone.names.insert("Tag", fixtureID(2), ["name": .string("two")]))
    _ = try await phone.engine().export()
    let file = try #require(try phone.streamFiles.last)
    let place = laptop.exchange.stream(of: try phone.id).appending(path: file.lastPathComponent)
    try Data(contentsOf: file).dropLast(9).write(to: place)
    for _ in 0..<2 { #expect(try await laptop.engine().import().refused.count == 1) }
    try Data(contentsOf: file).write(to: place)
    #expect(try await laptop.engine().import().isComplete)
    #expect(try laptop.store.isVisible("Tag", fixtureID(2)))
  }

  /// Right in form, and of no use to anybody.
  @Test(arguments: [true, false]) func `a file whose transactions nobody takes is not passed on`(
    isOutOfReach: Bool
  ) async throws {
    let (phone, laptop) = (try TestReplica(), try TestReplica())
    _ = try await phone.engine().sync()
    let time = Stamp(time: .max, counter: .max, replica: Self.stranger)
    let facts = TransactionFacts(
      dot: Dot(replica: Self.stranger, sequence: 1), stamp: time, author: nil, context: VersionVector(), records: [])
    let file = try plant(
      ChangeSetCodec.encode(try set([isOutOfReach ? TransactionCodec.encode(facts) : []], in: phone)), to: 1, in: phone)
    var copy = ExchangeCopy(source: phone.exchange, target: laptop.exchange)
    copy.stores = (phone.store, laptop.store)
    for round in 0..<2 {
      let count = try await reads(of: file) {
        let outcome = try copy.run()
        #expect(outcome.refused.count == 1)
      }
      #expect(count == (round == 0 ? 1 : 0))
      try laptop.save(laptop.names.insert("Tag", fixtureID(UInt64(round)), ["name": .string("tag \(round)")]))
    }
    #expect(try DurableFile.names(in: laptop.exchange.stream(of: Self.stranger)).isEmpty)
  }
}
