import LMDB

/// The replicas that have written by a later version of the schema than this store had when their work came, and since
/// when.
///
/// A version may give a field up that the next one declares again. Values from before are this store's own to a stage,
/// but not what a device that is past that stage has written: see ``NewFields``. The attachment `migration.ahead` lists
/// the writers in order: replica u64 · version, three i64 · stamp of the first transaction (18 bytes). Earlier builds
/// wrote none, and what comes by a snapshot names no version.
package struct LaterWriters {
  private static let key = Array("migration.ahead".utf8)

  private(set) var beginnings: [ReplicaID: [SchemaVersion: Stamp]] = [:]

  init(_ snapshot: borrowing StoreSnapshot) throws {
    guard let bytes = try snapshot.attachment(Self.key) else { return }
    try bytes.withRawBytes { bytes throws in
      var reader = ByteReader(bytes, subject: "the list of replicas that write by a later schema")
      while !reader.isAtEnd {
        let replica = ReplicaID(try reader.read(as: UInt64.self))
        let numbers = try (0..<3).map { _ in Int(try reader.read(as: Int64.self)) }
        beginnings[replica, default: [:]][SchemaVersion(numbers[0], numbers[1], numbers[2])] =
          Stamp(encoded: try reader.read(count: Stamp.byteCount), at: 0)
      }
    }
  }

  /// The attachment that notes a replica's transactions of a version from a stamp on; nil if there is nothing to note:
  /// the version is not later than the store's, or known.
  package static func noting(
    _ replica: ReplicaID, of version: SchemaVersion, since stamp: Stamp, in snapshot: borrowing StoreSnapshot
  ) throws -> StoreAttachment? {
    guard version > snapshot.catalogue.schemaVersion else { return nil }
    var writers = try LaterWriters(snapshot)
    if let known = writers.beginnings[replica]?[version], known <= stamp { return nil }
    writers.beginnings[replica, default: [:]][version] = stamp
    return StoreAttachment(key: key, value: writers.encoded)
  }

  private var encoded: [UInt8] {
    let entries = beginnings.sorted { $0.key < $1.key }.flatMap { replica, versions in
      versions.sorted { $0.key < $1.key }.map { (replica, $0.key, $0.value) }
    }
    return [UInt8](byteCount: entries.count * (32 + Stamp.byteCount)) { writer in
      for (replica, version, stamp) in entries {
        writer.write(replica.value)
        for number in [version.major, version.minor, version.patch] { writer.write(Int64(number)) }
        writer.write(stamp)
      }
    }
  }
}
