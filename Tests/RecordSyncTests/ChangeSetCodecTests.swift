import Foundation
import RecordStore
import TestSupport
import Testing

@testable import RecordSync

struct ChangeSetCodecTests {
  @Test(arguments: [true, false]) func `a change set reads back as it was written`(isPacked: Bool) throws {
    let set = try smallChangeSet(isPacked: isPacked)
    let file = ChangeSetCodec.file(of: set)
    #expect(try ChangeSetCodec.decode(file.bytes) == set)
    #expect(file.hash == ContentHash(of: file.bytes) && file.bytes == ChangeSetCodec.encode(set))
  }

  @Test func `blocks that get smaller are packed, and others are not`() throws {
    var generator = SeededGenerator.announced()
    let noise = (0..<300_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
    let text = (0..<300_000).map { UInt8($0 / 7 % 50) }
    let set = try smallChangeSet([noise, text, noise, text])
    let file = ChangeSetCodec.encode(set)
    #expect(try ChangeSetCodec.decode(file) == set)
    let header = try ChangeSetHeader(file[...], subject: "it")
    #expect(header.fileBytes == file.count)
    #expect((600_000..<800_000).contains(header.storedBytes) && header.payloadBytes > 1_200_000)
    #expect(header.schemaDescription == set.schemaDescription && header.headerBytes < set.schemaDescription.count)
  }

  /// The checksums are right, so only the lengths can tell.
  @Test func `a packed block that holds more or less than it should is refused`() throws {
    let text = (0..<3000).map { UInt8($0 / 7 % 50) }
    for claimed in [2000, 3003, 3005, 4000] {
      var file = ChangeSetCodec.encode(try smallChangeSet([text]))
      let headerBytes = try ChangeSetHeader(file[...], subject: "it").headerBytes
      file.replaceSubrange(88..<96, with: littleEndian(UInt64(claimed)))
      let checksum = CRC32C.checksum(file[..<(headerBytes - 4)])
      file.replaceSubrange(headerBytes - 4..<headerBytes, with: littleEndian(checksum))
      #expect(syncErrorCode { _ = try ChangeSetCodec.decode(sealed(file)) } == .damagedFile)
    }
  }

  /// The file's own SHA-256 is right, so only the block's checksum can tell.
  @Test(arguments: [true, false]) func `a file of which one of many blocks was changed is refused`(isPacked: Bool)
    throws
  {
    let text = (0..<2_000_000).map { UInt8(truncatingIfNeeded: $0 / 7 * 13) }
    let file = ChangeSetCodec.encode(try smallChangeSet([text], isPacked: isPacked))
    let header = try ChangeSetHeader(file[...], subject: "it")
    #expect(header.blockCount == 8)
    let (first, last) = (header.headerBytes + 8, file.count - 41)
    for place in [first, (first + last) / 2, last] {
      var changed = file
      changed[place] ^= 1
      #expect(syncErrorCode { _ = try ChangeSetCodec.decode(sealed(changed)) } == .damagedFile)
    }
    #expect(try ChangeSetCodec.decode(sealed(file)).transactions == [text])
  }

  @Test func `a file of many small blocks reads back`() throws {
    let text = (0..<1_500_000).map { UInt8(truncatingIfNeeded: $0 / 7 * 13) }
    let set = try smallChangeSet([text], isPacked: false)
    let file = ChangeSetCodec.encode(set)
    var header = try ChangeSetHeader(file[...], subject: "it")
    let payload = littleEndian(UInt32(text.count)) + text
    header.blockBytes = 1_000
    var writer = FileWriter()
    header.write(into: &writer)
    for start in stride(from: 0, to: payload.count, by: 1_000) {
      let block = payload[start..<min(start + 1_000, payload.count)]
      writer.put(UInt32(block.count))
      writer.put(CRC32C.checksum(block))
      writer.put(raw: block)
    }
    let small = sealed(writer.bytes + [UInt8](repeating: 0, count: 32) + ChangeSetCodec.endMagic)
    #expect(small.count == header.fileBytes)
    #expect(try ChangeSetCodec.decode(small) == set)
    #expect(
      syncErrorCode { _ = try ChangeSetCodec.decode(sealed(Array(small.dropLast(41) + small.suffix(40)))) }
        == .damagedFile)
  }

  /// A file with the SHA-256 that its bytes have now.
  private func sealed(_ file: [UInt8]) -> [UInt8] {
    let hashed = file.dropLast(40)
    return hashed + ContentHash(of: hashed).bytes + ChangeSetCodec.endMagic
  }

  private func littleEndian(_ value: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: value.littleEndian) { Array($0) }
  }

  @Test func `transactions that cross blocks read back`() throws {
    var generator = SeededGenerator.announced()
    let sizes = [1, 262_143, 262_144, 262_145, 700_000, 0, 5]
    let transactions = sizes.map { size in (0..<size).map { _ in UInt8.random(in: 0...255, using: &generator) } }
    let set = try smallChangeSet(transactions)
    let file = ChangeSetCodec.encode(set)
    #expect(try ChangeSetCodec.decode(file) == set)
    #expect(try ChangeSetHeader(file[...], subject: "it").fileBytes == file.count)
  }

  @Test(arguments: [true, false]) func `every prefix of a file is refused`(isPacked: Bool) throws {
    let file = ChangeSetCodec.encode(try smallChangeSet(isPacked: isPacked))
    for count in 0..<file.count {
      #expect(syncErrorCode { _ = try ChangeSetCodec.decode(Array(file.prefix(count))) } == .damagedFile)
    }
  }

  @Test func `a file with a byte behind its end is refused`() throws {
    let file = ChangeSetCodec.encode(try smallChangeSet())
    #expect(syncErrorCode { _ = try ChangeSetCodec.decode(file + [0]) } == .damagedFile)
  }

  @Test(arguments: [true, false]) func `every flipped byte is refused`(isPacked: Bool) throws {
    let file = ChangeSetCodec.encode(try smallChangeSet(isPacked: isPacked))
    for index in file.indices {
      for flip: UInt8 in [0x01, 0x80, 0xFF] {
        var damaged = file
        damaged[index] ^= flip
        let code = syncErrorCode { _ = try ChangeSetCodec.decode(damaged) }
        // A flipped byte of the magic or of the version reads as a file of somebody else or of a later build.
        #expect([.damagedFile, .foreignFile, .newerFormat].contains(code))
      }
    }
  }

  @Test func `random bytes behind a good magic are refused without taking memory for them`() throws {
    var generator = SeededGenerator.announced()
    for _ in 0..<2000 {
      let count = Int.random(in: 0..<300, using: &generator)
      let noise = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
      let file = ChangeSetHeader.magic + [1, 0, 1, 0] + noise
      #expect(syncErrorCode { _ = try ChangeSetCodec.decode(file) } == .damagedFile)
    }
  }

  @Test func `a file that needs a newer reader says so`() throws {
    var file = ChangeSetCodec.encode(try smallChangeSet())
    file[10] = 5
    let error = #expect(throws: SyncError.self) { try ChangeSetCodec.decode(file, subject: "a.tcs") }
    #expect(error?.code == .newerFormat)
    #expect(error?.message == "a.tcs needs a reader of format 5, this build reads up to 4; update the app")
  }

  @Test func `a file of something else says so`() {
    let error = #expect(throws: SyncError.self) {
      try ChangeSetCodec.decode(Array("a letter to somebody".utf8), subject: "a.tcs")
    }
    #expect(error?.code == .foreignFile)
  }

  @Test func `the same set gives the same bytes`() throws {
    #expect(ChangeSetCodec.encode(try smallChangeSet()) == ChangeSetCodec.encode(try smallChangeSet()))
  }
}

struct FileNameTests {
  @Test func `names of files read back, and nothing else does`() throws {
    let hash = ContentHash(of: [1, 2, 3])
    let name = ChangeSetName(from: 1, to: 300, hash: hash)
    #expect(ChangeSetName(name.text) == name)
    #expect(name.text.utf8.count < 120)
    let others = [
      "", ".tcs", "x.tcs", name.text + ".partial", "." + name.text, name.text.uppercased(),
      name.text.replacing(".tcs", with: " (conflicted copy).tcs"), "+" + name.text.dropFirst(),
      ChangeSetName(from: 0, to: 1, hash: hash).text, ChangeSetName(from: 2, to: 1, hash: hash).text,
    ]
    for other in others { #expect(ChangeSetName(String(other)) == nil) }
    let head = HeadName(counter: 4, content: [1])
    #expect(HeadName(head.text) == head)
    #expect(HeadName(name.text) == nil)
  }
}

struct ReplicaHeadTests {
  private let head = ReplicaHead(
    storeID: id(1), replica: ReplicaID(2), lastSequence: 3, clock: stamp(4, 2),
    applied: VersionVector(entries: [ReplicaID(9): .init(sequence: 1, stamp: stamp(1, 9))]), displayName: "phone")

  @Test func `a head reads back, and no prefix or flipped byte of it does`() throws {
    let bytes = head.encoded()
    #expect(try ReplicaHead(bytes, subject: "it") == head)
    for count in 0..<bytes.count {
      #expect(syncErrorCode { _ = try ReplicaHead(Array(bytes.prefix(count)), subject: "it") } == .damagedFile)
    }
    for index in bytes.indices {
      var damaged = bytes
      damaged[index] ^= 0x10
      let code = syncErrorCode { _ = try ReplicaHead(damaged, subject: "it") }
      #expect([.damagedFile, .foreignFile, .newerFormat].contains(code), "\(index)")
    }
  }

  @Test func `a head is published when it says something new, and two are kept`() throws {
    let root = try TemporaryFolder()
    let folder = ExchangeFolder(root: root.url, storeID: id(1))
    var head = self.head
    #expect(try folder.publish(head))
    #expect(try !folder.publish(head))
    for sequence: UInt64 in 4...7 {
      head.lastSequence = sequence
      #expect(try folder.publish(head))
    }
    #expect(try folder.newestHead(of: head.replica)?.head == head)
    #expect(try DurableFile.names(in: folder.heads(of: head.replica)).count == 2)
  }

  @Test func `old heads that another device's copy brought back go, also when nothing new is said`() throws {
    let root = try TemporaryFolder()
    let folder = ExchangeFolder(root: root.url, storeID: id(1))
    let place = folder.heads(of: head.replica)
    var head = self.head
    var all: [String: Data] = [:]
    for sequence: UInt64 in 4...8 {
      head.lastSequence = sequence
      try folder.publish(head)
      for name in try DurableFile.names(in: place) { all[name] = try Data(contentsOf: place.appending(path: name)) }
    }
    for (name, bytes) in all { try bytes.write(to: place.appending(path: name)) }
    #expect(try !folder.publish(head))
    #expect(try DurableFile.names(in: place).count == 2)
    #expect(try folder.newestHead(of: head.replica)?.head == head)
  }
}
