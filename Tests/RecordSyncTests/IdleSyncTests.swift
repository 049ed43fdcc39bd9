import Foundation
import RecordStore
import Synchronization
import TestSupport
import Testing

@testable import RecordSync

/// What a synchronisation costs that has nothing to do, counted in uses of the file system. With 200 devices there were
/// 81,820 of them, more than twice as many for twice the change sets, and own files were read three times.
struct IdleSyncTests {
  private typealias Device = DeviceSyncTests.Device
  private static let place = DeviceSyncTests.place

  private var sync: DeviceSync {
    var options = DeviceSync.Options()
    options.configuration = StoreConfiguration(
      url: nil, durability: .unsafeNoFlush, mapSizeBytes: 256 << 20)
    return DeviceSync(options: options)
  }

  private struct Call: Hashable {
    var kind: FileCall
    var path: String
  }

  private func calls(_ body: () async throws -> Void) async throws -> [Call] {
    let calls = Mutex<[Call]>([])
    let watcher: @Sendable (FileCall, String) -> Int32? = { kind, path in
      calls.withLock { $0.append(Call(kind: kind, path: path)) }
      return nil
    }
    try await FileCall.$watcher.withValue(watcher, operation: body)
    return calls.withLock { $0 }
  }

  /// Gives a folder the files of so many devices: change sets of one transaction each, and heads that know them.
  private func plant(
    _ replicaCount: Int, changeSets: Int, schema: Catalogue, in folder: ExchangeFolder
  ) throws {
    for number in 0..<UInt64(replicaCount) {
      let replica = ReplicaID(0x5000 + number)
      var previous = ContentHash.none
      var newest = Stamp.zero
      for sequence in 1...UInt64(changeSets) {
        newest = stamp(1 << 20 + sequence, replica.value)
        let facts = TransactionFacts(
          dot: Dot(replica: replica, sequence: sequence), stamp: newest, author: nil,
          context: VersionVector(),
          records: [])
        let set = ChangeSet(
          storeID: folder.storeID, replica: replica, firstSequence: sequence,
          previousHash: previous.bytes,
          schemaDescription: try SchemaDescription.encode(schema),
          transactions: [TransactionCodec.encode(facts)])
        let bytes = ChangeSetCodec.encode(set)
        previous = ContentHash(of: bytes)
        try folder.publish(
          bytes, ChangeSetName(from: sequence, to: sequence, hash: previous), of: replica)
      }
      for name in ["phone", "phone \(number)"] {
        var head = ReplicaHead(
          storeID: folder.storeID, replica: replica, lastSequence: UInt64(changeSets),
          clock: newest,
          applied: VersionVector(entries: [
            replica: .init(sequence: UInt64(changeSets), stamp: newest)
          ]),
          displayName: name)
        head.schemaID = Array(1...16)
        try folder.publish(head)
      }
    }
  }

  /// Calls of a run that has nothing to do, between a device and a folder.
  private func idleCalls(replicas: Int, changeSets: Int) async throws -> [Call] {
    let (phone, root) = (try Device(), try TemporaryFolder())
    let folder = try DeviceDirectory(root.url)
    for number in 1...UInt64(changeSets) {
      try phone.insertTag(number)
      _ = try await sync.synchronize(phone.directory, folder: folder)
    }
    try plant(
      replicas, changeSets: changeSets, schema: phone.opened().read { $0.catalogue },
      in: ExchangeFolder(root: folder.exchange(at: Self.place), storeID: Self.place.familyID))
    for _ in 0..<2 { _ = try await sync.synchronize(phone.directory, folder: folder) }
    return try await calls {
      let report = try await sync.synchronize(phone.directory, folder: folder)
      #expect(report.isUnchanged && report.isComplete, "\(report)")
    }
  }

  @Test func `an idle synchronisation looks at each place once, and reads no change set`()
    async throws
  {
    let replicas = 40
    let calls = try await idleCalls(replicas: replicas, changeSets: 2)
    #expect(calls.count <= 20 * (replicas + 1) + 40, "\(calls.count) calls")
    #expect(calls.filter { $0.kind == .read && $0.path.hasSuffix(".tcs") } == [])
    #expect(calls.filter { [.create, .rename, .remove, .makeFolder].contains($0.kind) } == [])
    let counts = Dictionary(grouping: calls.filter { $0.path.contains("/r/") }, by: \.self)
      .mapValues(\.count)
    #expect(counts.values.allSatisfy { $0 == 1 }, "\(counts.filter { $0.value > 1 }.prefix(5))")
  }

  /// Two looks a change set, one on each side.
  @Test func `what an idle synchronisation costs grows with the change sets, and no faster`()
    async throws
  {
    let counts = [
      try await idleCalls(replicas: 5, changeSets: 4).count,
      try await idleCalls(replicas: 5, changeSets: 8).count,
      try await idleCalls(replicas: 5, changeSets: 16).count,
    ]
    #expect(counts[2] - counts[1] <= 2 * (counts[1] - counts[0]), "\(counts)")
    #expect(counts[2] - counts[1] <= 8 * (2 * 5 + 3), "\(counts)")
  }

  @Test func `a new change set costs reading it, not what lies beside it`() async throws {
    let (phone, laptop, root) = (try Device(), try Device(hasStore: false), try TemporaryFolder())
    let folder = try DeviceDirectory(root.url)
    for number in 1...5 as ClosedRange<UInt64> {
      try phone.insertTag(number)
      _ = try await sync.synchronize(phone.directory, folder: folder)
    }
    for device in [laptop, phone, laptop] {
      _ = try await sync.synchronize(device.directory, folder: folder)
    }
    try phone.insertTag(6)
    _ = try await sync.synchronize(phone.directory, folder: folder)
    let read = try await calls { _ = try await sync.synchronize(laptop.directory, folder: folder) }
      .filter { $0.kind == .read && $0.path.hasSuffix(".tcs") }
    #expect(Set(read.map { URL(filePath: $0.path).lastPathComponent }).count == 1, "\(read)")
    #expect(try laptop.dump() == phone.dump())
  }
}
