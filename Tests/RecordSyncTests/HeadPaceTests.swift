import Foundation
import RecordStore
import TestSupport
import Testing

@testable import RecordSync

/// Heads of a device that watches: a tool that only adds files keeps every one of them.
struct HeadPaceTests {
  private let phone: TestReplica

  init() throws { phone = try TestReplica() }

  /// A day: however slow the machine is, no test takes as long.
  private static let interval = Duration.seconds(86_400)

  /// Saves and runs once, as a watch does it whose heads are a day apart.
  private func round(_ number: UInt64) async throws {
    try phone.save(phone.names.insert("Tag", fixtureID(number), ["name": .string("tag \(number)")]))
    _ = try await HeadPace.$interval.withValue(Self.interval) { try await phone.engine().sync() }
  }

  private func head() throws -> (file: URL, name: HeadName, head: ReplicaHead) {
    let newest = try #require(try phone.exchange.newestHead(of: phone.id))
    return (phone.exchange.file(newest.name, of: try phone.id), newest.name, newest.head)
  }

  /// Makes the newest head look as old as that.
  private func age(bySeconds seconds: Double) throws {
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -seconds)], ofItemAtPath: head().file.path)
  }

  @Test func `runs of a watch publish their changes at once and one head an interval`() async throws {
    try await round(1)
    let first = try head()
    for number in 2...20 { try await round(UInt64(number)) }
    #expect(try head().name == first.name)
    #expect(try phone.exchange.listing(of: phone.id).files.map(\.to).max() == 20)
    try age(bySeconds: 43_200)
    try await round(21)
    #expect(try head().name == first.name)
    try age(bySeconds: 86_401)
    try await round(22)
    let second = try head()
    #expect(second.name.counter == first.name.counter + 1)
    let known = try phone.store.read { try $0.versionVector }
    #expect(second.head.lastSequence == 22 && second.head.applied == known)
  }

  @Test func `a run that a person asks for publishes its head at once`() async throws {
    try await round(1)
    try phone.save(phone.names.insert("Tag", fixtureID(2), ["name": .string("tag 2")]))
    _ = try await phone.engine().sync()
    #expect(try head().head.lastSequence == 2)
  }

  @Test func `a head that tells more than progress does not wait`() async throws {
    try await round(1)
    let first = try head()
    _ = try await HeadPace.$interval.withValue(Self.interval) {
      try await phone.engine { $0.displayName = "another name" }.sync()
    }
    #expect(try head().name.counter == first.name.counter + 1)
    #expect(try head().head.displayName == "another name")
  }

  @Test func `a clock that was set back holds no head back`() async throws {
    try await round(1)
    try age(bySeconds: -3_600)
    try await round(2)
    #expect(try head().head.lastSequence == 2)
  }

  @Test func `a head that is gone, or damaged, is written again at once`() async throws {
    try await round(1)
    try Data("nothing".utf8).write(to: head().file)
    try await round(2)
    #expect(try head().head.lastSequence == 2)
    for name in try phone.exchange.headNames(of: phone.id) {
      try FileManager.default.removeItem(at: phone.exchange.file(name, of: phone.id))
    }
    try await round(3)
    #expect(try head().head.lastSequence == 3)
  }

  @Test func `what watches that hold heads back have in a folder is merged and equal`() async throws {
    let tablet = try TestReplica()
    for number in 1...5 {
      try await round(UInt64(number))
      _ = try ExchangeCopy(source: phone.exchange, target: tablet.exchange).run()
      try tablet.save(tablet.names.insert("Tag", fixtureID(UInt64(100 + number)), ["name": .string("of \(number)")]))
      _ = try await HeadPace.$interval.withValue(Self.interval) { try await tablet.engine().sync() }
      _ = try ExchangeCopy(source: tablet.exchange, target: phone.exchange).run()
    }
    try await round(6)
    _ = try ExchangeCopy(source: phone.exchange, target: tablet.exchange).run()
    _ = try await HeadPace.$interval.withValue(Self.interval) { try await tablet.engine().sync() }
    let dumps = (try phone.dump, try tablet.dump)
    #expect(dumps.0 == dumps.1 && !dumps.0.isEmpty)
    #expect(try phone.exchange.headNames(of: phone.id).count == 1)
    for store in [phone.store, tablet.store] { #expect(try store.integrityViolations() == []) }
  }
}
