package import LMDB

/// The identity of a store: written at its creation, changed only when it becomes another replica.
///
/// ```
/// offset  size
///      0  8   magic "TANDEMST"
///      8  2   format version: 3; 1 or 2 in a store that only earlier builds have written to
///     10  4   data version of LMDB's files: 1 (LMDB 0.9)
///     14  16  store id, most significant byte first
///     30  8   replica id
///     38  8   incarnation: random, drawn anew with every new replica id
///     46  8   created at, milliseconds since 1970
///     54  4   CRC-32C of all before it
/// ```
package struct StoreHeader: Hashable, Sendable {
  package static let formatVersion: UInt16 = 3
  static let lmdbDataVersion: UInt32 = 1
  static let key = [UInt8]("header".utf8)
  static let magic = [UInt8]("TANDEMST".utf8)
  static let byteCount = 58

  /// As found in the file; ``encoded()`` always writes the newest.
  package private(set) var format = StoreHeader.formatVersion
  package var storeID: RecordID
  package var replica: ReplicaID
  package var incarnation: UInt64
  package var createdAtMilliseconds: UInt64

  package func encoded() -> [UInt8] {
    [UInt8](byteCount: StoreHeader.byteCount) { writer in
      StoreHeader.magic.withUnsafeBytes { writer.write($0) }
      writer.write(StoreHeader.formatVersion)
      writer.write(StoreHeader.lmdbDataVersion)
      writer.write(storeID)
      writer.write(replica.value)
      writer.write(incarnation)
      writer.write(createdAtMilliseconds)
      writer.write(RawBytes(writer.written).checksum)
    }
  }

  /// The format alone, which each write asks for. Throws as the initialiser does.
  static func format(in bytes: RawBytes, path: String) throws -> UInt16 {
    if bytes.count == byteCount, case let format = bytes.load(at: 8, as: UInt16.self), format == formatVersion {
      return format
    }
    return try StoreHeader(decoding: bytes, path: path).format
  }

  /// Throws `notAStore`, `newerFormat` or `damaged`.
  package init(decoding bytes: RawBytes, path: String) throws {
    guard bytes.count >= 10, bytes.slice(0..<8).copied() == StoreHeader.magic else {
      throw StoreError(.notAStore, "\(path) is an LMDB file of another program: choose another path")
    }
    format = bytes.load(at: 8, as: UInt16.self)
    guard format <= StoreHeader.formatVersion else {
      throw StoreError(
        .newerFormat,
        "cannot open the store at \(path): it was written by format \(format), this build reads up to "
          + "\(StoreHeader.formatVersion); update the app")
    }
    guard bytes.count == StoreHeader.byteCount,
      bytes.slice(0..<54).checksum == bytes.load(at: 54, as: UInt32.self)
    else {
      throw ByteReader(bytes, subject: "the header of the store at \(path)").damaged("its checksum is wrong")
    }
    // By their places, and no sentence made for an error: each commit reads the header.
    storeID = RecordID(bytes: bytes, at: 14)
    replica = ReplicaID(bytes.load(at: 30, as: UInt64.self))
    incarnation = bytes.load(at: 38, as: UInt64.self)
    createdAtMilliseconds = bytes.load(at: 46, as: UInt64.self)
  }

  package init(storeID: RecordID, replica: ReplicaID, incarnation: UInt64, createdAtMilliseconds: UInt64) {
    self.storeID = storeID
    self.replica = replica
    self.incarnation = incarnation
    self.createdAtMilliseconds = createdAtMilliseconds
  }
}
