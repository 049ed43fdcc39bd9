import RecordStore

/// The remains of a collection that was carried out: eight bytes for each record, and the cut.
///
/// A device that wrote without knowing the cut may still send facts about these records. They are void: what they
/// changed is not there any more, and that device says the record again, whole, if it lives.
struct ForgottenRecords: Hashable, Sendable {
  var cut: VersionVector
  private var names: Set<UInt64>

  init(_ ids: [RecordID], cut: VersionVector) {
    self.cut = cut
    names = Set(ids.map(ForgottenRecords.name))
  }

  /// The newest collection that was carried out here of a record without which this one cannot be; nil if nothing that
  /// it needs was forgotten. Without collections, one look-up.
  static func collection(
    above id: RecordID, entity: EntityNumber, _ standings: RecordStandings, in snapshot: borrowing StoreSnapshot
  ) throws -> Stamp? {
    var missing: [RecordID]?
    var newest: Stamp?
    try snapshot.forEachAttachment(prefix: SyncAttachment.forgotten) { key, value in
      let unknown = try missing ?? standings.unknownAbove(id, entity: entity)
      missing = unknown
      guard !unknown.isEmpty else { return false }
      let forgotten = try ForgottenRecords(value)
      guard unknown.contains(where: forgotten.contains) else { return true }
      var reader = FileReader(key.dropFirst(SyncAttachment.forgotten.count), subject: "the name of a collection")
      newest = max(newest ?? .zero, try reader.stamp())
      return true
    }
    return newest
  }

  func contains(_ id: RecordID) -> Bool { names.contains(ForgottenRecords.name(id)) }

  /// Ids are random in their low half, or digests.
  private static func name(_ id: RecordID) -> UInt64 { id.low ^ (id.high &* 0x9E37_79B9_7F4A_7C15) }

  func attachment(named stamp: Stamp) -> StoreAttachment {
    var key = FileWriter()
    key.put(raw: SyncAttachment.forgotten)
    key.put(stamp)
    var value = FileWriter(reserving: names.count * 8 + 64)
    value.put(cut)
    for name in names.sorted() { value.put(name) }
    return StoreAttachment(key: key.bytes, value: value.bytes)
  }

  init(_ value: [UInt8]) throws {
    var reader = FileReader(value, subject: "the list of forgotten records")
    cut = try reader.versionVector()
    guard reader.remaining.isMultiple(of: 8) else { throw reader.damage }
    names = []
    names.reserveCapacity(reader.remaining / 8)
    while reader.remaining > 0 { names.insert(try reader.integer()) }
  }
}
