import RecordStore

/// The keys under which synchronisation keeps its state in the store, in the same commits as the records.
enum SyncAttachment {
  /// + entity, record, stamps -> ``Conflict``.
  static let conflicts = Array("sync/conflict/".utf8)
  /// + replica, stamp -> the version vector that the replica's transactions had seen from that stamp on.
  static let contexts = Array("sync/context/".utf8)
  /// + store id, replica, first sequence -> ``ExportRecord``.
  static let exports = Array("sync/export/".utf8)
  /// + first bytes of its hash -> a schema description as it was exported.
  static let schemas = Array("sync/schema/".utf8)
  /// + replica, version of the schema -> the stamp since which the replica writes by it; see ``WriterVersion``.
  static let versions = Array("sync/version/".utf8)
  /// + hash of the path: the folder was used, so a missing one is no new one.
  static let folders = Array("sync/folder/".utf8)
  /// + hash of the path of a family's folder: all that the store knew was written there since it belongs to the family.
  static let completed = Array("sync/completed/".utf8)
  /// + hash of the path -> when the store was last synchronised with it; see ``LastSynchronization``.
  static let synchronized = Array("sync/last/".utf8)
  /// + replica -> how people know the device, UTF-8; see ``DeviceNames``.
  static let names = Array("sync/name/".utf8)
  /// -> the version vector that all collections carried out here had in common.
  static let collected = Array("sync/collected".utf8)
  /// + stamp -> ``TombstoneCollection`` that waits for what it covers.
  static let pending = Array("sync/pending/".utf8)
  /// + replica: a person said that it is gone.
  static let retired = Array("sync/retired/".utf8)
  /// -> when maintenance was last done, in milliseconds since 1970.
  static let maintained = Array("sync/maintained".utf8)
  /// -> names of snapshots of others that were read and found whole.
  static let attested = Array("sync/attested".utf8)
  /// -> how many days the conflict log has counted, and since when the present one; see ``LogAge``.
  static let logDays = Array("sync/logdays".utf8)
  /// + first bytes of an entry's hash -> the day on which the conflict log's entry was first met.
  static let logEntries = Array("sync/logentry/".utf8)
  /// + hash of place and circumstances -> a file that was refused, and why; see ``RefusedFiles``.
  static let refused = Array("sync/refused/".utf8)
  /// + hash of transport, path and lengths -> why a file was fetched and not taken; see ``DeclinedFiles``.
  static let declined = Array("sync/declined/".utf8)
  /// + hash of the place -> a file as it was found whole; see ``WholeFiles``.
  static let whole = Array("sync/whole/".utf8)
  /// + hash of kind, direction and way -> the replica of which something was moved last; see ``ReplicaTurn``. + hash of
  /// directions and way -> the number of the turn that the store had; see ``PlaceTurn``.
  static let turns = Array("sync/turn/".utf8)
  /// + hash of the place, digest of a large value that this store has put there and that nothing in the store names
  /// -> the version vector when that was seen first.
  static let unnamed = Array("sync/unnamed/".utf8)
  /// + stamp -> ``ForgottenRecords`` of a collection that was carried out.
  static let forgotten = Array("sync/forgotten/".utf8)
  /// + replica: a report has said that this store does not go by it any more; + hash: see ``told(_:_:)``.
  private static let told = Array("sync/told/".utf8)

  /// + hash of entity and kept field: a report has said that values of another type are kept.
  static func told(_ entity: String, _ field: KeptField) -> [UInt8] {
    told + Array("\(ContentHash(of: "\(entity).\(field.name)".utf8).name)".utf8)
  }

  static func told(_ former: ReplicaID) -> [UInt8] { told + Array(former.description.utf8) }
}
