import LMDB

/// The replicas that have written by a later version of the schema than this store had when their work came, and since
/// when.
///
/// A version may give a field up that the next one declares again. Values from before are this store's own to a stage,
/// but not what a device that is past that stage has written: see ``NewFields``. The attachment `migration.ahead` lists
/// the writers in order: replica u64 · version, three i64 · stamp of the first transaction (18 bytes). Earlier builds
/// wrote none.
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

  /// A replica writes by a version since the transaction with a stamp.
  package typealias Beginning = (replica: ReplicaID, version: SchemaVersion, since: Stamp)

  /// The attachment that notes such beginnings; nil if there is nothing to note: each version is not later than the
  /// store's, or known.
  package static func noting(
    _ beginnings: [Beginning], in snapshot: borrowing StoreSnapshot
  ) throws -> StoreAttachment? {
    let own = snapshot.catalogue.schemaVersion
    let later = beginnings.filter { $0.version > own }
    guard !later.isEmpty else { return nil }
    var writers = try LaterWriters(snapshot)
    var isChanged = false
    for (replica, version, stamp) in later {
      if let known = writers.beginnings[replica]?[version], known <= stamp { continue }
      writers.beginnings[replica, default: [:]][version] = stamp
      isChanged = true
    }
    return isChanged ? StoreAttachment(key: key, value: writers.encoded) : nil
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
