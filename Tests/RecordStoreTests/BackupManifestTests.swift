import Foundation
import LMDB
import TestSupport
import Testing

@testable import RecordStore

/// The file that makes a directory a backup: its layout, and each way in which it can be none.
struct BackupManifestTests {
  /// As the FileFormat article lays it out, byte by byte.
  private static let head: [UInt8] =
    Array("TANDEMBK".utf8) + [1, 0]
    + [0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x27, 0x28]
    + [0x38, 0x37, 0x36, 0x35, 0x34, 0x33, 0x32, 0x31] + [0x48, 0x47, 0x46, 0x45, 0x44, 0x43, 0x42, 0x41]
    + [7, 0, 0, 0, 0, 0, 0, 0] + [0x00, 0x18, 0xCB, 0x18, 0xA3, 0x01, 0, 0] + [0, 0x10, 0, 0, 0, 0, 0, 0]
    + [0x54, 0x53, 0x52, 0x51] + [1]

  private static let storeID = RecordID(high: 0x1112_1314_1516_1718, low: 0x2122_2324_2526_2728)
  private static let replica = ReplicaID(0x3132_3334_3536_3738)

  private static func sealed(_ head: [UInt8]) -> [UInt8] {
    head + withUnsafeBytes(of: head.withRawBytes { $0.checksum }.littleEndian) { Array($0) }
  }

  private static func manifest() throws -> BackupManifest {
    let header = StoreHeader(
      storeID: storeID, replica: replica, incarnation: 0x4142_4344_4546_4748, createdAtMilliseconds: 1)
    var manifest = BackupManifest(
      header, lastNumber: 7, madeAtMilliseconds: 0x1_A318_CB18_00, isCompact: true, data: try FileDigest("/dev/null"))
    (manifest.byteCount, manifest.dataChecksum) = (4096, 0x5152_5354)
    return manifest
  }

  private func withManifest<Result>(_ bytes: [UInt8], _ body: (URL) throws -> Result) throws -> Result {
    let folder = try makeTemporaryFolder()
    let outcome = Swift.Result {
      try Data(bytes).write(to: folder.appendingPathComponent("backup"))
      return try body(folder)
    }
    try FileManager.default.removeItem(at: folder)
    return try outcome.get()
  }

  private func code(_ bytes: [UInt8]) throws -> StoreError.Code? {
    try withManifest(bytes) { folder in storeErrorCode { _ = try BackupManifest(ofBackupAt: folder) } }
  }

  @Test func `a manifest has the layout of the format's article`() throws {
    #expect(try Self.manifest().encoded() == Self.sealed(Self.head))
  }

  @Test func `a manifest is read from its directory, and from nowhere else`() throws {
    try withManifest(Self.sealed(Self.head)) { folder in
      let found = try #require(try BackupManifest(ofBackupAt: folder))
      #expect(try found == Self.manifest())
      #expect(found.storeID == Self.storeID && found.replica == Self.replica && found.lastTransactionNumber == 7)
      #expect(found.byteCount == 4096 && found.isCompact)
      #expect(found.madeAt == Date(timeIntervalSince1970: Double(0x1_A318_CB18_00) / 1000))
      for place in ["none", "backup/below a file"] {
        #expect(try BackupManifest(ofBackupAt: folder.appendingPathComponent(place)) == nil)
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["backup"])
    }
  }

  @Test func `each flipped bit is damage, or a newer format`() throws {
    let sound = Self.sealed(Self.head)
    for bit in 0..<sound.count * 8 {
      var bytes = sound
      bytes[bit / 8] ^= 1 << UInt8(bit % 8)
      // The format stands before the checksum, so that a build that knows no other length of the rest can tell it.
      let format = UInt16(bytes[8]) | UInt16(bytes[9]) << 8
      #expect(try code(bytes) == (format > 1 ? .newerFormat : .damaged), "bit \(bit)")
    }
  }

  @Test func `each shorter and longer manifest is damaged`() throws {
    let sound = Self.sealed(Self.head)
    for count in sound.indices { #expect(try code(Array(sound.prefix(count))) == .damaged, "\(count) bytes") }
    for more in [1, 2, 4096] { #expect(try code(sound + Array(repeating: 0, count: more)) == .damaged) }
    // Sealed, and of another length all the same.
    #expect(try code(Self.sealed(Self.head + [0])) == .damaged)
    #expect(try code(Self.sealed(Array(Self.head.dropLast()))) == .damaged)
  }

  @Test func `a newer manifest names both formats and the remedy, whatever its length`() throws {
    for more in [0, 1, 100] {
      var head = Self.head + Array(repeating: 9, count: more)
      head[8] = 2
      try withManifest(Self.sealed(head)) { folder in
        let error = #expect(throws: StoreError.self) { try BackupManifest(ofBackupAt: folder) }
        #expect(error?.code == .newerFormat)
        #expect(
          error?.message == "the backup at \(folder.path)/backup has format 2, this build reads up to 1: update it")
      }
    }
  }

  @Test func `a manifest that is a directory cannot be read`() throws {
    let folder = try makeTemporaryFolder()
    try FileManager.default.createDirectory(
      at: folder.appendingPathComponent("backup"), withIntermediateDirectories: false)
    #expect(storeErrorCode { _ = try BackupManifest(ofBackupAt: folder) } == .inputOutput)
    try FileManager.default.removeItem(at: folder)
  }

  /// Whether the backup is one of a store: by its family, or by an id that the store writes or wrote under.
  static let kinship: [(storeID: RecordID, replicas: [UInt64], isOf: Bool)] = [
    (storeID, [], true), (storeID, [1, 2], true), (fixtureID(1), [replica.value], true),
    (fixtureID(1), [1, replica.value, 2], true), (fixtureID(1), [1, 2], false), (fixtureID(1), [], false),
  ]

  @Test(arguments: kinship) func `a backup is of a store by its family, or by an id of the store's`(
    storeID: RecordID, replicas: [UInt64], isOf: Bool
  ) throws {
    #expect(try Self.manifest().isOf(storeID: storeID, replicas: replicas.map { ReplicaID($0) }) == isOf)
  }

  // MARK: Copies from before migrations

  /// The name of the directory says when, and of which schema.
  static let named: [(name: String, milliseconds: UInt64, version: SchemaVersion)] = [
    ("20260102T030405Z-1.0.0", 1_767_323_045_000, SchemaVersion(1, 0, 0)),
    ("20260102T030405Z-1.0.0", 1_767_323_045_999, SchemaVersion(1, 0, 0)),
    ("19700101T000000Z-0.0.0", 0, SchemaVersion(0, 0, 0)),
    ("20991231T235959Z-12.34.56", 4_102_444_799_000, SchemaVersion(12, 34, 56)),
  ]

  @Test(arguments: named) func `a copy is named after its time and schema, and found by the name`(
    name: String, milliseconds: UInt64, version: SchemaVersion
  ) throws {
    let store = URL(fileURLWithPath: "/a/b.store")
    let made = StoreBackup(in: store, milliseconds: milliseconds, schemaVersion: version)
    #expect(made.name == name && made.url.path == "/a/b.store/backups/\(name)")
    let found = try #require(StoreBackup(made.url))
    #expect(found.madeAt == Date(timeIntervalSince1970: Double(milliseconds / 1000)))
    #expect(found.schemaVersion == version && found == made)
    // A second one of the same second.
    let second = made.url.deletingLastPathComponent().appendingPathComponent(name + "+", isDirectory: true)
    #expect(try #require(StoreBackup(second)) > found)
  }

  @Test(arguments: [
    "", "-", "20260102T030405Z", "20260102T030405Z-", "20260102T030405Z-1", "20260102T030405Z-1.0",
    "20260102T030405Z-1.0.0.0", "20260102T030405Z-a.b.c", "-1.0.0", "x-1.0.0", "20260102T030405-1.0.0",
    "20261302T030405Z-1.0.0", ".20260102T030405Z-1.0.0.unfinished",
    "20260102T030405Z-1.x.0.0", "20260102T030405Z-1..0.0", "20260102T030405Z-.1.0.0", "20260102T030405Z-1.0.0.",
    "20260102T030405Z-1.0.0+x", "20260102T030405Z-1.0.0+.0",
    // Ended the process: there is nothing before the sign of a second copy.
    "20260102T030405Z-+", "20260102T030405Z-++",
  ])
  func `a name of another form is no copy`(name: String) {
    #expect(StoreBackup(URL(fileURLWithPath: "/a/b.store/backups/\(name)", isDirectory: true)) == nil)
  }

  // MARK: What a backup may replace

  enum Place: String, CaseIterable, Sendable {
    case nothing, emptyDirectory, file, filledDirectory, ownBackup, foreignBackup, damagedBackup, store, insideStore
    case noFolder
  }

  static let places: [(place: Place, code: StoreError.Code?)] = [
    (.nothing, nil), (.emptyDirectory, nil), (.ownBackup, nil), (.file, .invalidRequest),
    (.filledDirectory, .invalidRequest), (.foreignBackup, .invalidRequest), (.damagedBackup, .damaged),
    (.store, .invalidRequest), (.insideStore, .invalidRequest), (.noFolder, .notFound),
  ]

  @Test(arguments: places) func `a backup takes an empty place or that of an earlier one, and no other`(
    place: Place, code: StoreError.Code?
  ) throws {
    let (temporary, other) = (try TemporaryStore(), try TemporaryStore())
    let folder = temporary.folder.appendingPathComponent("copies", isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    let target = try fill(place, in: folder, temporary.store, other.store)
    let before = try names(below: target)
    #expect(storeErrorCode { try temporary.store.backup(to: target) } == code)
    if code == nil {
      #expect(try names(below: target) == ["backup", "data.mdb"])
    } else {
      #expect(try names(below: target) == before, "a refused backup leaves the place as it was")
    }
    #expect(try names(below: folder).filter { $0.hasPrefix(".") } == [])
    try temporary.check()
  }

  private func names(below url: URL) throws -> [String] {
    guard try FileItem(at: url.path) == .directory else { return [] }
    return try FileManager.default.contentsOfDirectory(atPath: url.path).sorted()
  }

  private func fill(_ place: Place, in folder: URL, _ store: RecordStore, _ other: RecordStore) throws -> URL {
    let target = folder.appendingPathComponent("shop.backup", isDirectory: true)
    let files = FileManager.default
    switch place {
    case .nothing: break
    case .emptyDirectory: try files.createDirectory(at: target, withIntermediateDirectories: false)
    case .file: try Data("text".utf8).write(to: target)
    case .filledDirectory:
      try files.createDirectory(at: target, withIntermediateDirectories: false)
      try Data("text".utf8).write(to: target.appendingPathComponent("notes"))
    case .ownBackup: try store.backup(to: target)
    case .foreignBackup: try other.backup(to: target)
    case .damagedBackup:
      try store.backup(to: target)
      try Data("TANDEMBK".utf8).write(to: target.appendingPathComponent("backup"))
    case .store: return store.url
    case .insideStore: return store.url.appendingPathComponent("backup", isDirectory: true)
    case .noFolder: return folder.appendingPathComponent("none/shop.backup", isDirectory: true)
    }
    return target
  }
}
