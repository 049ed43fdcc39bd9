import Foundation
import RecordStore
import TestSupport
import Testing

@testable import RecordSync

/// A stream that two stores wrote, of which one's file bears the name that a tool gives to a conflict copy. Only files
/// of a proper name were looked at for where a stream parts, so one branch's records were missing for ever, silently.
struct ConflictCopyTests {
  /// A phone and its copy, which both wrote on under one id, and their files.
  private struct Parted {
    let phone: TestReplica
    let copy: TestReplica
    let id: ReplicaID
    let shared: Data
    let branches: [Data]

    init() async throws {
      let clock = ManualClock()
      phone = try TestReplica(clock: clock)
      try phone.save(phone.names.insert("Tag", fixtureID(1), ["name": .string("shared")]))
      _ = try await phone.engine().export()
      copy = try TestReplica(copyOf: phone)
      try phone.save(phone.names.insert("Tag", fixtureID(2), ["name": .string("of the phone")]))
      try copy.save(copy.names.insert("Tag", fixtureID(3), ["name": .string("of the copy")]))
      for replica in [phone, copy] { _ = try await replica.engine().export() }
      id = try phone.id
      #expect(try id == copy.id)
      shared = try Data(contentsOf: phone.streamFiles[0])
      branches = try [phone, copy].map { try Data(contentsOf: $0.streamFiles[1]) }
    }

    func name(_ bytes: Data) throws -> String {
      let set = try ChangeSetCodec.decode([UInt8](bytes))
      return ChangeSetName(from: set.firstSequence, to: set.lastSequence, hash: ContentHash(of: [UInt8](bytes))).text
    }

    func conflictName(_ bytes: Data) throws -> String {
      try name(bytes).dropLast(4) + ".sync-conflict-20260101-101010-ABCDEFG.tcs"
    }

    func put(_ bytes: Data, isCopy: Bool, in folder: ExchangeFolder) throws {
      let place = folder.stream(of: id)
      try DurableFile.createFolder(place)
      try bytes.write(to: place.appending(path: isCopy ? conflictName(bytes) : name(bytes)))
    }
  }

  private func expectTags(_ replica: TestReplica) throws {
    for number in 1...3 as ClosedRange<UInt64> {
      #expect(try replica.store.isVisible("Tag", fixtureID(number)), "tag \(number)")
    }
    try expectSound(replica.store)
  }

  @Test(arguments: [0, 1], [[0, 1], [1, 0], [2]])
  func `a branch under a conflict copy's name is taken, whichever file comes first`(
    copied: Int, order: [Int]
  ) async throws {
    let parted = try await Parted()
    let (laptop, twin) = (try TestReplica(), try TestReplica())
    // The twin sees both under their names.
    for (replica, isTwin) in [(laptop, false), (twin, true)] {
      _ = try await replica.engine().sync()
      try parted.put(parted.shared, isCopy: false, in: replica.exchange)
      for step in order {
        for (index, bytes) in parted.branches.enumerated() where step == 2 || step == index {
          try parted.put(bytes, isCopy: index == copied && !isTwin, in: replica.exchange)
        }
        for _ in 0..<2 { _ = try await replica.engine().sync() }
      }
      try expectTags(replica)
    }
    #expect(try laptop.dump == twin.dump)
  }

  @Test func `a copy of all that a stream has, under other names, is no fork`() async throws {
    let parted = try await Parted()
    let laptop = try TestReplica()
    _ = try await laptop.engine().sync()
    for bytes in [parted.shared, parted.branches[0]] {
      for isCopy in [true, false] { try parted.put(bytes, isCopy: isCopy, in: laptop.exchange) }
    }
    let report = try await laptop.engine().sync()
    #expect(report.transactionsMerged == 2)
    #expect(report.warnings.isEmpty)
    #expect(try laptop.store.read { try $0.versionVector.sequence(of: parted.id) } == 2)
  }

  @Test func `a store that finds a stranger's file of its own stream under such a name takes a new id`() async throws {
    let parted = try await Parted()
    try parted.put(parted.branches[1], isCopy: true, in: parted.phone.exchange)
    let report = try await parted.phone.engine().sync()
    #expect(report.warnings.contains { $0.contains("restored from a backup or copied") }, "\(report.warnings)")
    _ = try await parted.phone.engine().sync()
    try expectTags(parted.phone)
    #expect(try parted.phone.id != parted.id)
  }

  @Test(arguments: [0, 1]) func `devices pass such a branch on`(copied: Int) async throws {
    let parted = try await Parted()
    let (laptop, tablet) = (try TestReplica(), try TestReplica())
    for replica in [laptop, tablet] { _ = try await replica.engine().sync() }
    try parted.put(parted.shared, isCopy: false, in: laptop.exchange)
    for (index, bytes) in parted.branches.enumerated() {
      try parted.put(bytes, isCopy: index == copied, in: laptop.exchange)
    }
    for _ in 0..<2 { try await exchange([laptop, tablet]) }
    try expectTags(laptop)
    try expectTags(tablet)
    #expect(try laptop.dump == tablet.dump)
  }
}
