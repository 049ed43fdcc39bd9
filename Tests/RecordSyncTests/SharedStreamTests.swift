import Foundation
import RecordStore
import TestSupport
import Testing

@testable import RecordSync

/// A device that was copied with all its files, so that two stores write under one replica id, while one of them makes
/// its part of the folder small: what a head or a snapshot says of the id is the word of one of them alone.
struct SharedStreamTests {
  private func insertTag(_ number: UInt64, on replica: TestReplica) throws {
    try replica.save(replica.names.insert("Tag", fixtureID(number), ["name": .string("tag \(number)")]))
  }

  /// A phone, its copy and a laptop, which knows the phone. The phone goes on until a snapshot has replaced what it
  /// wrote when it was copied, and after; tag 5 it has deleted, and all have forgotten it. The copy has written tag 9.
  private func partedPhones() async throws -> (phone: TestReplica, copy: TestReplica, laptop: TestReplica) {
    let clock = ManualClock()
    let (phone, laptop) = (try TestReplica(clock: clock), try TestReplica(clock: clock))
    try insertTag(1, on: phone)
    try await exchange([phone, laptop])
    let copy = try TestReplica(copyOf: phone)
    try insertTag(9, on: copy)
    for number in 2...4 as ClosedRange<UInt64> {
      try insertTag(number, on: phone)
      _ = try await phone.engine { $0.changeSetBytes = 200 }.export()
    }
    try insertTag(5, on: phone)
    try phone.save(phone.names.delete("Tag", fixtureID(5)))
    for _ in 0..<2 { try await exchange([phone, laptop]) }
    #expect(try await phone.engine().collect().recordsCollected == 1)
    for _ in 0..<3 {
      try await exchange([phone, laptop])
      _ = try await phone.engine { $0.changeSetBytes = 200 }.compact()
    }
    #expect(try phone.streamFiles.count == 1)
    #expect(try phone.id == copy.id)
    return (phone, copy, laptop)
  }

  private func expectTags(_ numbers: [UInt64], on replicas: [TestReplica]) throws {
    for (index, replica) in replicas.enumerated() {
      for number in numbers {
        #expect(try replica.store.isVisible("Tag", fixtureID(number)), "tag \(number) on device \(index)")
      }
      try expectSound(replica.store)
    }
  }

  @Test func `what a copy wrote reaches everybody though a snapshot has replaced what its original wrote meanwhile`()
    async throws
  {
    let (phone, copy, laptop) = try await partedPhones()
    let tablet = try TestReplica(clock: phone.clock)
    try await exchange([phone, copy])
    for _ in 0..<3 { try await exchange([phone, copy, laptop]) }
    #expect(try phone.id != copy.id)
    for _ in 0..<2 { try await exchange([laptop, tablet]) }
    try expectTags([1, 2, 3, 4, 9], on: [phone, copy, laptop, tablet])
  }

  @Test func `a copy that first meets somebody else is heard as well`() async throws {
    let (phone, copy, laptop) = try await partedPhones()
    for _ in 0..<2 { try await exchange([copy, laptop]) }
    for _ in 0..<3 { try await exchange([phone, copy, laptop]) }
    try expectTags([1, 2, 3, 4, 9], on: [phone, copy, laptop])
  }

  /// A store that had applied the original's transactions does not learn of tag 9: the article on the module says so.
  @Test func `a copy keeps what it wrote though its original has trimmed its history, and is heard from then on`()
    async throws
  {
    let (phone, copy, laptop) = try await partedPhones()
    if let last = try phone.store.read({ try $0.lastHistoryNumber { _ in true } }) {
      try phone.store.trimHistory(through: last)
    }
    for _ in 0..<3 { try await exchange([phone, copy]) }
    try expectTags([1, 2, 3, 4, 9], on: [copy])
    try insertTag(10, on: copy)
    try insertTag(11, on: phone)
    for _ in 0..<3 { try await exchange([phone, copy, laptop]) }
    try expectTags([1, 2, 3, 4, 10, 11], on: [phone, copy, laptop])
    try expectTags([9], on: [copy])
  }

  @Test func `a store that shares an id removes nothing because others have what its twin wrote`() async throws {
    let (_, copy, laptop) = try await partedPhones()
    try insertTag(10, on: copy)
    _ = try await copy.engine { $0.changeSetBytes = 200 }.export()
    let files = try copy.streamFiles.count
    // The laptop's word that it has all of the id's transactions, and the snapshot that it holds to be whole.
    let (own, other) = (try copy.id, try laptop.id)
    for (from, to) in [
      (laptop.exchange.heads(of: other), copy.exchange.heads(of: other)),
      (laptop.exchange.snapshots(of: own), copy.exchange.snapshots(of: own)),
    ] {
      if FileManager.default.fileExists(atPath: to.path) { try FileManager.default.removeItem(at: to) }
      try FileManager.default.createDirectory(at: to.deletingLastPathComponent(), withIntermediateDirectories: true)
      try FileManager.default.copyItem(at: from, to: to)
    }
    for _ in 0..<2 {
      _ = try await copy.engine { $0.changeSetBytes = 200 }.compact()
    }
    #expect(try copy.streamFiles.count == files)
  }
}
