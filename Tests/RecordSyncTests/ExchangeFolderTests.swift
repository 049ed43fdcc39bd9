import Foundation
import RecordStore
import Testing

@testable import RecordSync

struct ExchangeFolderTests {
  private let root: TemporaryFolder
  private let folder: ExchangeFolder
  private let replica = ReplicaID(7)

  init() throws {
    root = try TemporaryFolder()
    folder = ExchangeFolder(root: root.url, storeID: RecordID(high: 1, low: 2))
    try folder.create()
  }

  @discardableResult
  private func publish(_ set: ChangeSet, as name: String? = nil) throws -> ChangeSetName {
    let file = ChangeSetCodec.encode(set)
    let proper = ChangeSetName(from: set.firstSequence, to: set.lastSequence, hash: ContentHash(of: file))
    try DurableFile.publish(file, named: name ?? proper.text, in: folder.stream(of: set.replica))
    return proper
  }

  @Test func `a file is published whole, and nothing else stays behind`() throws {
    let name = try publish(smallChangeSet())
    #expect(try DurableFile.names(in: folder.stream(of: replica)) == [name.text])
    let listed = try #require(try folder.listing(of: replica).files.first)
    #expect(try listed.read(expecting: folder, replica: replica) == smallChangeSet())
  }

  @Test func `partial, temporary and foreign names are ignored`() throws {
    let stream = folder.stream(of: replica)
    let name = try publish(smallChangeSet())
    for other in [
      ".\(name.text).4711.partial", ".syncthing.\(name.text).tmp", "~\(name.text).tmp", "\(name.text).partial",
      "Thumbs.db", ".DS_Store", ".hidden.tcs",
    ] {
      try DurableFile.publish([1, 2, 3], named: other, in: stream)
    }
    try DurableFile.publish([1], named: "notes.txt", in: folder.replicas)
    let listing = try folder.listing(of: replica)
    #expect(listing.files.map(\.path) == ["r/\(replica)/s/\(name.text)"])
    #expect(listing.refused.isEmpty)
    #expect(try folder.knownReplicas() == [replica])
  }

  @Test func `a conflict copy is listed by its content`() throws {
    try publish(smallChangeSet(), as: "report (Anna's conflicted copy).tcs")
    let listed = try #require(try folder.listing(of: replica).files.first)
    #expect((listed.from, listed.to) == (5, 7))
  }

  @Test func `a conflict copy without an intact header is refused with its name`() throws {
    try DurableFile.publish([1, 2, 3], named: "copy.tcs", in: folder.stream(of: replica))
    let listing = try folder.listing(of: replica)
    #expect(listing.files.isEmpty)
    #expect(listing.refused.map(\.file) == ["r/\(replica)/s/copy.tcs"])
  }

  @Test func `a file of another store, replica or range is refused`() throws {
    var foreign = try smallChangeSet()
    foreign.storeID = id(99)
    let name = try publish(foreign)
    let listed = try #require(try folder.listing(of: replica).files.first)
    let error = #expect(throws: SyncError.self) { try listed.read(expecting: folder, replica: replica) }
    #expect(error?.code == .foreignFile)
    #expect(error?.message.contains("belongs to another store") == true)
    try DurableFile.remove(folder.stream(of: replica).appending(path: name.text))

    let wrong = ChangeSetName(from: 1, to: 3, hash: ContentHash(of: []))
    try publish(smallChangeSet(), as: wrong.text)
    let misnamed = try #require(try folder.listing(of: replica).files.first)
    #expect(syncErrorCode { _ = try misnamed.read(expecting: folder, replica: replica) } == .foreignFile)
  }

  @Test func `two files for the same transactions may be a fork, an older range and a copy are none`() throws {
    try publish(smallChangeSet())
    try publish(smallChangeSet(), as: "copy.tcs")
    var earlier = try smallChangeSet([[1]])
    earlier.firstSequence = 4
    try publish(earlier)
    #expect(try !StreamListing.overlap(folder.listing(of: replica).files))
    try publish(smallChangeSet([[4], [5], [6]]))
    #expect(try StreamListing.overlap(folder.listing(of: replica).files))
  }

  @Test func `a marker of another content is not taken for a folder`() throws {
    #expect(try folder.isPresent())
    try DurableFile.publish([1, 2], named: StoreMarker.name, in: folder.url)
    let error = #expect(throws: SyncError.self) { try folder.isPresent() }
    #expect(error?.code == .folderMissing)
  }

  @Test func `every creator writes the same marker`() throws {
    let other = try TemporaryFolder()
    let second = ExchangeFolder(root: other.url, storeID: folder.storeID)
    try second.create()
    #expect(try Data(contentsOf: folder.marker) == Data(contentsOf: second.marker))
    #expect(try Data(contentsOf: folder.marker).count == StoreMarker.fileBytes)
    #expect(try ExchangeFolder.stores(in: other.url) == [folder.storeID])
  }
}

struct ExchangeCopyTests {
  private let roots: [TemporaryFolder]
  private let source: ExchangeFolder
  private let target: ExchangeFolder
  private let replica = ReplicaID(7)

  init() throws {
    roots = [try TemporaryFolder(), try TemporaryFolder()]
    source = ExchangeFolder(root: roots[0].url, storeID: RecordID(high: 1, low: 2))
    target = ExchangeFolder(root: roots[1].url, storeID: RecordID(high: 1, low: 2))
    try source.create()
  }

  private func publish(_ bytes: [UInt8], as name: String) throws {
    try DurableFile.publish(bytes, named: name, in: source.stream(of: replica))
  }

  /// Transactions that differ in a stranger's number.
  private func transactions(_ marks: [UInt64], from first: UInt64) -> [[UInt8]] {
    marks.enumerated().map { index, mark in
      let context = VersionVector(entries: [ReplicaID(900 + mark): .init(sequence: 1, stamp: stamp(1, 900 + mark))])
      let sequence = first + UInt64(index)
      return TransactionCodec.encode(
        TransactionFacts(
          dot: Dot(replica: replica, sequence: sequence), stamp: stamp(sequence, replica.value), author: nil,
          context: context, records: []))
    }
  }

  private var file: [UInt8] {
    get throws { ChangeSetCodec.encode(try smallChangeSet(transactions([1, 2, 3], from: 5))) }
  }
  private var name: ChangeSetName { get throws { ChangeSetName(from: 5, to: 7, hash: ContentHash(of: try file)) } }

  @Test func `missing files are copied once`() throws {
    try publish(file, as: name.text)
    #expect(try ExchangeCopy(source: source, target: target).run().copied == 1)
    #expect(try DurableFile.names(in: target.stream(of: replica)) == [name.text])
    #expect(try target.isPresent())
    #expect(try ExchangeCopy(source: source, target: target).run().copied == 0)
    #expect(try ExchangeCopy(source: target, target: source).run().copied == 0)
  }

  @Test func `a damaged file does not travel`() throws {
    try publish(Array(file.prefix(200)), as: name.text)
    #expect(try ExchangeCopy(source: source, target: target).run().copied == 0)
    #expect(try DurableFile.names(in: target.stream(of: replica)).isEmpty)
  }

  @Test func `a damaged copy that was not applied yet is replaced by an intact one`() throws {
    try publish(file, as: name.text)
    var damaged = try file
    damaged[200] ^= 1
    try DurableFile.publish(damaged, named: name.text, in: target.stream(of: replica))
    #expect(try ExchangeCopy(source: source, target: target).run().copied == 1)
    #expect(try DurableFile.read(target.stream(of: replica).appending(path: name.text), limit: 1 << 20) == file)
  }

  @Test func `a conflict copy travels under its proper name`() throws {
    try publish(file, as: "a (conflicted copy).tcs")
    #expect(try ExchangeCopy(source: source, target: target).run().copied == 1)
    #expect(try DurableFile.names(in: target.stream(of: replica)) == [name.text])
  }

  private func changeSet(_ marks: [UInt64], from first: UInt64, after previous: [UInt8]? = nil) throws -> [UInt8] {
    ChangeSetCodec.encode(
      ChangeSet(
        storeID: source.storeID, replica: replica, firstSequence: first,
        previousHash: (previous.map { ContentHash(of: $0) } ?? .none).bytes,
        schemaDescription: try SchemaDescription.encode(household), transactions: transactions(marks, from: first)))
  }

  /// Published in order in `folder`; their names.
  private func publish(
    _ files: [(bytes: [UInt8], from: UInt64, to: UInt64)], in folder: ExchangeFolder
  ) throws -> [String] {
    try files.map { file in
      let name = ChangeSetName(from: file.from, to: file.to, hash: ContentHash(of: file.bytes)).text
      try DurableFile.publish(file.bytes, named: name, in: folder.stream(of: replica))
      return name
    }
  }

  @Test(arguments: [true, false])
  func `a file goes for a larger one that holds the same, unless a store with the same id went on from it`(
    isForked: Bool
  ) throws {
    let first = try changeSet([1], from: 1)
    let second = try changeSet([2], from: 2, after: first)
    let third = try changeSet([isForked ? 9 : 3], from: 3, after: second)
    let small = try publish([(first, 1, 1), (second, 2, 2), (third, 3, 3)], in: source)
    let large = try publish([(changeSet([1, 2, 3], from: 1), 1, 3)], in: target)
    var copy = ExchangeCopy(source: source, target: target)
    copy.applied.entries[replica] = VersionVector.Entry(sequence: 3, stamp: .zero)
    copy.prunable = nil
    #expect(try copy.run().copied == (isForked ? 3 : 0))
    let expected = (isForked ? large + small : large).sorted()
    #expect(try DurableFile.names(in: target.stream(of: replica)) == expected)
    #expect(try copy.run().copied == 0)
  }

  @Test func `the newest two heads travel, older ones go`() throws {
    var head = ReplicaHead(
      storeID: source.storeID, replica: replica, lastSequence: 0, clock: .zero, applied: VersionVector(),
      displayName: "phone")
    for sequence: UInt64 in 1...5 {
      head.lastSequence = sequence
      try source.publish(head)
      _ = try ExchangeCopy(source: source, target: target).run()
    }
    #expect(try DurableFile.names(in: target.heads(of: replica)).count == 2)
    #expect(try target.newestHead(of: replica)?.head == head)
  }

  /// One of two engines on a store found no folder of heads, and met the one that the other engine had made meanwhile
  /// when it looked why: its run failed.
  @Test func `a folder that somebody makes while it is listed is an empty one`() throws {
    let folder = try TemporaryFolder()
    let heads = folder.url.appending(path: "h")
    let watcher: @Sendable (FileCall, String) -> Int32? = { call, path in
      if call == .look, path == heads.path { mkdir(path, 0o700) }
      return nil
    }
    #expect(try FileCall.$watcher.withValue(watcher) { try DurableFile.names(in: heads) } == [])
  }
}
