import Foundation
import LMDB
import TestSupport
import Testing

@testable import RecordStore

/// The store's own small values, byte by byte: they are read by every build that comes after.
struct StoreMetaTests {
  private func hex(_ bytes: some Sequence<UInt8>) -> String { bytes.map { String(format: "%02x", $0) }.joined() }

  private let header = StoreHeader(
    storeID: RecordID(high: 0x0102_0304_0506_0708, low: 0x090A_0B0C_0D0E_0F10),
    replica: ReplicaID(0x1112_1314_1516_1718),
    incarnation: 0x2122_2324_2526_2728, createdAtMilliseconds: 0x3132_3334_3536_3738)

  private func decoded(_ bytes: [UInt8]) throws -> StoreHeader {
    try bytes.withRawBytes { try StoreHeader(decoding: $0, path: "/a.store") }
  }

  @Test func `a header has its layout, and comes back`() throws {
    let bytes = header.encoded()
    #expect(
      hex(bytes.dropLast(4)) == "54414e44454d5354" + "0300" + "01000000" + "0102030405060708090a0b0c0d0e0f10"
        + "1817161514131211" + "2827262524232221" + "3837363534333231")
    #expect(try decoded(bytes) == header)
    #expect(try bytes.withRawBytes { try StoreHeader.format(in: $0, path: "/a.store") } == 3)
  }

  @Test func `a header of an earlier format keeps its number until it is written`() throws {
    for format in 1...2 as ClosedRange<UInt8> {
      var bytes = header.encoded()
      bytes[8] = format
      bytes.replaceSubrange(54..., with: checksum(bytes[..<54]))
      let found = try decoded(bytes)
      #expect(found.format == UInt16(format) && found.encoded() == header.encoded())
      #expect(try bytes.withRawBytes { try StoreHeader.format(in: $0, path: "/a.store") } == UInt16(format))
    }
  }

  private func checksum(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    let checksum = Array(bytes).withRawBytes { $0.checksum }
    return [UInt8](byteCount: 4) { $0.write(checksum) }
  }

  @Test func `of a header every flipped bit is told: another program's, a newer build's, or damage`() throws {
    for place in 0..<58 {
      for bit in 0..<8 {
        var bytes = header.encoded()
        bytes[place] ^= 1 << bit
        let error = #expect(throws: StoreError.self, "byte \(place), bit \(bit)") { try decoded(bytes) }
        let isNewer = (8..<10).contains(place) && UInt16(bytes[8]) | UInt16(bytes[9]) << 8 > 3
        #expect(
          error?.code == (place < 8 ? .notAStore : isNewer ? .newerFormat : .damaged), "byte \(place), bit \(bit)")
        #expect(error?.message.contains("/a.store") == true)
      }
    }
  }

  @Test func `a header that is cut or longer is none`() throws {
    for count in 0..<58 {
      let error = #expect(throws: StoreError.self) { try decoded(Array(header.encoded().prefix(count))) }
      #expect(error?.code == (count < 10 ? .notAStore : .damaged), "\(count) bytes")
    }
    #expect(#expect(throws: StoreError.self) { try decoded(header.encoded() + [0]) }?.code == .damaged)
  }

  private var state: StoreState {
    var state = StoreState()
    state.clock.isDistrusted = true
    state.clock.seen = Stamp(time: 0x0102_0304_0506_0708, counter: 0x090A, replica: ReplicaID(0x1112_1314_1516_1718))
    state.clock.lastOwnWall = 0x2122_2324_2526_2728
    state.lastNumber = 0x3132_3334_3536_3738
    for replica in [2, 1] as [UInt64] {
      let stamp = Stamp(time: replica << 8, counter: 3, replica: ReplicaID(replica))
      state.versionVector.entries[ReplicaID(replica)] = .init(sequence: replica + 4, stamp: stamp)
    }
    return state
  }

  private func state(_ bytes: [UInt8]) throws -> StoreState { try bytes.withRawBytes { try StoreState(decoding: $0) } }

  @Test func `a state has its layout, and comes back`() throws {
    let bytes = state.encoded()
    #expect(bytes[0] == 1 && Array(bytes[1..<5]) == checksum(bytes[5...]))
    #expect(
      hex(bytes[5...]) == "01" + "0807060504030201" + "0a09" + "1817161514131211" + "2827262524232221"
        + "3837363534333231" + "02000000" + "0100000000000000" + "0500000000000000" + "0001000000000000" + "0300"
        + "0200000000000000" + "0600000000000000" + "0002000000000000" + "0300")
    #expect(try state(bytes) == state)
    #expect(try bytes.withRawBytes { try StoreState.lastNumber(in: $0) } == state.lastNumber)
    #expect(try state(StoreState().encoded()) == StoreState())
  }

  @Test func `of a state every flipped bit and every other length is damage`() {
    let sound = state.encoded()
    func expectDamaged(_ bytes: [UInt8], _ what: String) {
      #expect(#expect(throws: StoreError.self) { try state(bytes) }?.code == .damaged, "\(what)")
      let number = #expect(throws: StoreError.self) { try bytes.withRawBytes { try StoreState.lastNumber(in: $0) } }
      #expect(number?.code == .damaged, "\(what)")
    }
    for place in sound.indices {
      for bit in 0..<8 {
        var bytes = sound
        bytes[place] ^= 1 << bit
        expectDamaged(bytes, "byte \(place), bit \(bit)")
      }
      expectDamaged(Array(sound[..<place]), "cut at \(place)")
    }
    expectDamaged(sound + [0], "longer")
  }

  /// The checksum is right, and the number of replicas is not that of the bytes.
  @Test func `a state with another number of replicas than it says is damage`() {
    for count in [0, 1, 3, 0xFF] as [UInt8] {
      var bytes = state.encoded()
      bytes[40] = count
      bytes.replaceSubrange(1..<5, with: checksum(bytes[5...]))
      #expect(#expect(throws: StoreError.self) { try state(bytes) }?.code == .damaged, "\(count)")
    }
  }

  static let gaps: [(numbers: [UInt64], bytes: [UInt8])] = [
    ([], []), ([0], [0, 1]), ([1], [1, 1]), ([5, 6, 7], [5, 3]), ([1, 3], [1, 1, 1, 1]),
    ([3, 4, 200], [3, 2, 195, 1, 1]),
  ]

  @Test func `the list of deleted history is runs of neighbours, and comes back`() throws {
    for (numbers, bytes) in Self.gaps {
      var gaps = HistoryGaps()
      // In whatever order they come, and twice.
      for number in numbers.reversed() + numbers { gaps.insert(number) }
      #expect(gaps.attachment.key == Array("history.gaps".utf8))
      #expect(gaps.attachment.value == (bytes.isEmpty ? nil : bytes), "\(numbers)")
      let found = try HistoryGaps(decoding: bytes)
      #expect(found == gaps && found.isEmpty == numbers.isEmpty)
      for number in 0...300 as ClosedRange<UInt64> { #expect(found.contains(number) == numbers.contains(number)) }
    }
  }

  @Test(arguments: [[5], [5, 0], [0x80], [5, 0x80]] + [Array(repeating: 0xFF as UInt8, count: 9) + [1, 1]])
  func `a list of deleted history that ends early or never is damage`(bytes: [UInt8]) {
    #expect(#expect(throws: StoreError.self) { try HistoryGaps(decoding: bytes) }?.code == .damaged)
  }

  @Test func `lists of deleted history join, lose their front, and move`() throws {
    var gaps = try HistoryGaps(decoding: [2, 2, 3, 1])
    #expect((0...9).filter { gaps.contains($0) } == [2, 3, 7])
    gaps.formUnion(try HistoryGaps(decoding: [4, 1, 4, 1]))
    #expect((0...9).filter { gaps.contains($0) } == [2, 3, 4, 7, 9])
    gaps.remove(through: 3)
    #expect((0...9).filter { gaps.contains($0) } == [4, 7, 9])
    #expect((0...99).filter { gaps.raised(by: 50).contains($0) } == [54, 57, 59])
  }

  @Test func `a listed value has its layout, comes back, and every other form is none`() throws {
    let digest = (0..<32).map { UInt8($0) }
    let reference = try #require(ExternalReference(digest: digest, byteCount: 0x0102_0304))
    for isAwaited in [false, true] {
      let listed = ListedValue(reference, isAwaited: isAwaited, author: ReplicaID(0x1112_1314_1516_1718))
      let (key, value) = (listed.attachment.key, try #require(listed.attachment.value))
      #expect(key == Array("sync/value/".utf8) + digest)
      #expect(hex(value) == (isAwaited ? "0102" : "0101") + "0403020100000000" + "1817161514131211")
      #expect(ListedValue(key: key, value: value) == listed)
      #expect(listed.removal == StoreAttachment(key: key, value: nil))
      #expect(ListedValue(key: Array(key.dropLast()), value: value) == nil)
      #expect(ListedValue(key: key + [0], value: value) == nil)
      #expect(ListedValue(key: key, value: Array(value.dropLast())) == nil)
      #expect(ListedValue(key: key, value: value + [0]) == nil)
      for (place, byte) in [(0, 0), (0, 2), (1, 0), (1, 3), (9, 0x80)] as [(Int, UInt8)] {
        var changed = value
        changed[place] = byte
        #expect(ListedValue(key: key, value: changed) == nil, "byte \(place) is \(byte)")
      }
      var empty = value
      empty.replaceSubrange(2..<10, with: Array(repeating: 0, count: 8))
      #expect(ListedValue(key: key, value: empty) == nil)
    }
  }

  /// The system's numbers, each with the kind of failure and the remedy that the sentence ends with.
  static let failures: [(number: Int32, code: StoreError.Code, remedy: String)] = [
    (ENOENT, .notFound, "check the path, or create the store first"),
    (ENOTDIR, .notFound, "check the path, or create the store first"),
    (EACCES, .permissionDenied, "run as the store's owner, or change its permissions"),
    (EPERM, .permissionDenied, "run as the store's owner, or change its permissions"),
    (EROFS, .readOnlyFileSystem, "mount it for writing, or open the store for reading only"),
    (ENOSPC, .diskFull, "free some space and try again"), (EDQUOT, .diskFull, "free some space and try again"),
    (EIO, .inputOutput, "check the disk and try again"),
    (EMFILE, .inputOutput, "close files, or raise the process's limit of open files (ulimit -n)"),
    (ENFILE, .inputOutput, "end some processes, or raise the system's limit of open files"),
    (EFBIG, .inputOutput, "raise the process's limit of file sizes (ulimit -f)"),
    (ELOOP, .inputOutput, "mend the symbolic links, which lead in a circle"),
    (ENAMETOOLONG, .inputOutput, "choose a shorter name"),
  ]

  @Test func `a failure of the system names the action, the path, the reason and the remedy`() {
    for (number, code, remedy) in Self.failures {
      let error = StoreError(systemError: number, doing: "write the store", path: "/a.store")
      #expect(error.code == code)
      #expect(error.message == "cannot write the store at /a.store: \(String(cString: strerror(number))); \(remedy)")
      #expect((error.cause as? NSError)?.code == Int(number))
      #expect(error.description == error.message && error.errorDescription == error.message)
    }
  }

  @Test func `the system's number is found behind Foundation's errors`() {
    func posix(_ number: Int32) -> NSError { NSError(domain: NSPOSIXErrorDomain, code: Int(number)) }
    let wrapped = NSError(domain: "other", code: 1, userInfo: [NSUnderlyingErrorKey: posix(ENOSPC)])
    let twice = NSError(domain: "other", code: 1, userInfo: [NSUnderlyingErrorKey: wrapped])
    let cases: [(any Error, Int32?)] = [
      (POSIXError(.EROFS), EROFS), (posix(EACCES), EACCES), (wrapped, ENOSPC), (twice, ENOSPC),
      (CocoaError(.fileReadNoPermission), EACCES), (CocoaError(.fileWriteNoPermission), EACCES),
      (CocoaError(.fileNoSuchFile), ENOENT), (CocoaError(.fileReadNoSuchFile), ENOENT),
      (CocoaError(.fileWriteOutOfSpace), ENOSPC), (CocoaError(.fileWriteVolumeReadOnly), EROFS),
      (CocoaError(.fileReadCorruptFile), nil), (NSError(domain: "other", code: 5), nil),
    ]
    for (error, number) in cases {
      #expect(SystemErrorNumber.number(of: error) == number, "\(error)")
      let told = StoreError(error, doing: "read", path: "/a.store")
      #expect(told.code == StoreError(systemError: number ?? EIO, doing: "read", path: "/a.store").code)
    }
  }
}
