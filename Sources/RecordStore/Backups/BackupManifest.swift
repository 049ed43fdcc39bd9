public import Foundation
import LMDB

/// A backup's word on itself: the file `backup` beside its `data.mdb`. A directory with it is a backup; it is read
/// and restored, and never written to.
///
/// ```
/// offset  size
///      0  8   magic "TANDEMBK"
///      8  2   format version
///     10  16  store id, most significant byte first
///     26  8   replica id
///     34  8   incarnation
///     42  8   number of the last transaction
///     50  8   made at, milliseconds since 1970
///     58  8   bytes of data.mdb
///     66  4   CRC-32C of data.mdb
///     70  1   1: without free pages
///     71  4   CRC-32C of all before it
/// ```
public struct BackupManifest: Hashable, Sendable {
  static let name = "backup"
  static let formatVersion: UInt16 = 1
  private static let magic = [UInt8]("TANDEMBK".utf8)
  private static let byteCount = 75

  /// The family of the store that was copied.
  public internal(set) var storeID: RecordID
  /// The store's replica id. A store that is restored takes a new one.
  public internal(set) var replica: ReplicaID
  var incarnation: UInt64
  /// The newest transaction that the backup has.
  public internal(set) var lastTransactionNumber: UInt64
  var madeAtMilliseconds: UInt64
  /// The size of `data.mdb`.
  public internal(set) var byteCount: UInt64
  var dataChecksum: UInt32
  /// Whether free pages were left out.
  public internal(set) var isCompact: Bool

  /// When the backup was made, by the clock of the store that was copied.
  public var madeAt: Date { Date(timeIntervalSince1970: Double(madeAtMilliseconds) / 1000) }

  /// The backup in a directory; nil where there is none. Reads the manifest alone, and leaves nothing in the directory.
  ///
  /// Throws `damaged` for a manifest that is cut short or has a wrong checksum, `newerFormat`, `permissionDenied`,
  /// `inputOutput`.
  public init?(ofBackupAt url: URL) throws {
    let path = BackupManifest.path(in: url)
    let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else {
      if [ENOENT, ENOTDIR].contains(errno) { return nil }
      throw StoreError(systemError: errno, doing: "read the manifest of a backup", path: path)
    }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: BackupManifest.byteCount + 1)
    let count = read(descriptor, &bytes, bytes.count)
    guard count >= 0 else {
      throw StoreError(systemError: errno, doing: "read the manifest of a backup", path: path)
    }
    try self.init(decoding: Array(bytes.prefix(count)), path: path)
  }

  /// A sentence for data that is not what the backup was made with.
  func flaw(of data: FileDigest, in backup: URL) -> String? {
    guard data.byteCount != byteCount || data.checksum != dataChecksum else { return nil }
    return "the backup at \(backup.path) is not as it was made, its checksum is wrong: restore another one"
  }

  static func path(in directory: URL) -> String { directory.appendingPathComponent(name).path }

  static func isThere(in directory: String) throws -> Bool { try FileItem.at(name, inStore: directory) != nil }

  init(_ header: StoreHeader, lastNumber: UInt64, madeAtMilliseconds: UInt64, isCompact: Bool, data: FileDigest) {
    storeID = header.storeID
    replica = header.replica
    incarnation = header.incarnation
    lastTransactionNumber = lastNumber
    self.madeAtMilliseconds = madeAtMilliseconds
    self.isCompact = isCompact
    byteCount = data.byteCount
    dataChecksum = data.checksum
  }

  func encoded() -> [UInt8] {
    [UInt8](byteCount: BackupManifest.byteCount) { writer in
      BackupManifest.magic.withUnsafeBytes { writer.write($0) }
      writer.write(BackupManifest.formatVersion)
      writer.write(storeID)
      writer.write(replica.value)
      writer.write(incarnation)
      writer.write(lastTransactionNumber)
      writer.write(madeAtMilliseconds)
      writer.write(byteCount)
      writer.write(dataChecksum)
      writer.write(isCompact ? 1 as UInt8 : 0)
      writer.write(RawBytes(writer.written).checksum)
    }
  }

  init(decoding bytes: [UInt8], path: String) throws {
    self = try bytes.withRawBytes { bytes throws in try BackupManifest(decoding: bytes, path: path) }
  }

  private init(decoding bytes: RawBytes, path: String) throws {
    var reader = ByteReader(bytes, subject: "the manifest of the backup at \(path)")
    guard bytes.count >= 10, bytes.slice(0..<8).copied() == BackupManifest.magic else {
      throw reader.damaged("it is none")
    }
    let format = bytes.load(at: 8, as: UInt16.self)
    guard format <= BackupManifest.formatVersion else {
      throw StoreError(
        .newerFormat,
        "the backup at \(path) has format \(format), this build reads up to \(BackupManifest.formatVersion): update it")
    }
    guard bytes.count == BackupManifest.byteCount,
      bytes.slice(0..<71).checksum == bytes.load(at: 71, as: UInt32.self)
    else { throw reader.damaged("its checksum is wrong") }
    _ = try reader.read(count: 10)
    storeID = try reader.readID()
    replica = ReplicaID(try reader.read())
    incarnation = try reader.read()
    lastTransactionNumber = try reader.read()
    madeAtMilliseconds = try reader.read()
    byteCount = try reader.read()
    dataChecksum = try reader.read()
    isCompact = try reader.read(as: UInt8.self) != 0
  }
}

extension BackupManifest {
  /// Writes the manifest of a directory, durably.
  func write(in directory: URL, mode: UInt16) throws {
    let path = BackupManifest.path(in: directory)
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode_t(mode))
    guard descriptor >= 0 else { throw StoreError(systemError: errno, doing: "make the manifest", path: path) }
    defer { close(descriptor) }
    FileRights.take(descriptor, from: directory.appendingPathComponent("data.mdb").path)
    if let failure = SmallFile.writeDurably(encoded(), to: descriptor) {
      throw StoreError(systemError: failure, doing: "write the manifest", path: path)
    }
  }

  /// Whether the backup is one of a store with this identity.
  func isOf(storeID: RecordID, replicas: [ReplicaID]) -> Bool {
    // A store's family is another one after its first synchronisation, but what it wrote under is remembered.
    self.storeID == storeID || replicas.contains(replica)
  }
}
