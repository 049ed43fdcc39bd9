package import Foundation
package import LMDB

/// A store's word on itself to others, kept beside its directory: `<store>.identity`.
///
/// A backup that is put back takes the store's memory with it, but not this file. So a store that finds here a later
/// sequence than its own has lost what others may have, and takes a new replica id before it writes. The file is
/// replaced as a whole; one that is missing or damaged says nothing and is written again with the next export.
///
/// ```
/// offset  size
///      0  8   magic "TANDEMID"
///      8  2   format version
///     10  16  store id, most significant byte first
///     26  8   replica id
///     34  8   incarnation
///     42  8   the last sequence that may have been exported
///     50  8   number of data.mdb in its file system
///     58  8   creation of data.mdb, milliseconds since 1970; 0: not known
///     66  4   CRC-32C of all before it
/// ```
package struct IdentityFile: Hashable, Sendable {
  static let formatVersion: UInt16 = 1
  private static let magic = [UInt8]("TANDEMID".utf8)
  private static let byteCount = 70

  package var storeID: RecordID
  package var replica: ReplicaID
  package var incarnation: UInt64
  package var lastExported: UInt64
  var place: StorePlace

  init(_ header: StoreHeader, lastExported: UInt64, place: StorePlace) {
    storeID = header.storeID
    replica = header.replica
    incarnation = header.incarnation
    self.lastExported = lastExported
    self.place = place
  }

  package func encoded() -> [UInt8] {
    [UInt8](byteCount: IdentityFile.byteCount) { writer in
      IdentityFile.magic.withUnsafeBytes { writer.write($0) }
      writer.write(IdentityFile.formatVersion)
      writer.write(storeID)
      writer.write(replica.value)
      writer.write(incarnation)
      writer.write(lastExported)
      writer.write(place.inode)
      writer.write(place.createdAtMilliseconds)
      writer.write(RawBytes(writer.written).checksum)
    }
  }

  /// Nil unless the bytes are whole and of this format: then they say nothing.
  package init?(decoding bytes: RawBytes) throws {
    guard bytes.count == IdentityFile.byteCount, bytes.slice(0..<8).copied() == IdentityFile.magic,
      bytes.load(at: 8, as: UInt16.self) == IdentityFile.formatVersion,
      bytes.slice(0..<66).checksum == bytes.load(at: 66, as: UInt32.self)
    else { return nil }
    var reader = ByteReader(bytes.slice(10..<66), subject: "an identity file")
    storeID = try reader.readID()
    replica = ReplicaID(try reader.read())
    incarnation = try reader.read()
    lastExported = try reader.read()
    place = StorePlace(inode: try reader.read(), createdAtMilliseconds: try reader.read())
  }
}

// On the disk.
extension IdentityFile {
  /// One file for one store, by whichever symbolic link it was opened.
  package static func url(ofStoreAt store: URL) -> URL {
    let store = store.resolvingSymlinksInPath()
    return store.deletingLastPathComponent().appendingPathComponent(store.lastPathComponent + ".identity")
  }

  /// Nil when there is none that says anything. A file that may not be read says nothing either.
  static func read(beside store: URL) throws -> IdentityFile? {
    let descriptor = open(url(ofStoreAt: store).path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    // One byte more than there may be, so that a longer file is seen to be one.
    var bytes = [UInt8](repeating: 0, count: byteCount + 1)
    let count = Foundation.read(descriptor, &bytes, bytes.count)
    guard count == byteCount else { return nil }
    return try Array(bytes.prefix(count)).withRawBytes { try IdentityFile(decoding: $0) }
  }

  /// Replaces the file, durably. Where this user may not write beside the store it stays as it is: then only the place
  /// and the exchange folder tell a copy. Throws `diskFull` or `inputOutput`; the old file is untouched then.
  func write(beside store: URL, mode: UInt16) throws {
    let target = IdentityFile.url(ofStoreAt: store)
    // One writer at a time holds the store's lock, so one name is enough, and a killed one leaves one file.
    let partial = target.path + ".partial"
    unlink(partial)
    let descriptor = open(partial, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode_t(mode))
    guard descriptor >= 0 else { return try refuse(errno, target) }
    FileRights.take(descriptor, from: store.appendingPathComponent("data.mdb").path)
    try Interruption.point("before an identity file is written")
    let failure = SmallFile.writeDurably(encoded(), to: descriptor)
    close(descriptor)
    if let failure {
      unlink(partial)
      throw StoreError(systemError: failure, doing: "write the store's identity", path: target.path)
    }
    try Interruption.point("before an identity file gets its name")
    guard rename(partial, target.path) == 0 else {
      let failure = errno
      unlink(partial)
      return try refuse(failure, target)
    }
    try Interruption.point("after an identity file got its name")
    try Directory.flush(target.deletingLastPathComponent())
  }

  private func refuse(_ code: Int32, _ target: URL) throws {
    if [EACCES, EPERM, EROFS].contains(code) { return }
    throw StoreError(systemError: code, doing: "write the store's identity", path: target.path)
  }
}
