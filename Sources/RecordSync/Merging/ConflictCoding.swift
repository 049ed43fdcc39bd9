import RecordStore

// An entry's key: prefix · entity u32 · record · lost stamp · kind · winning stamp, so that a record's entries lie
// together. Its value: format u8 · logged at u64 · fields u32 · each: ordinal u32, lost value, winning value.
extension Conflict {
  private static let format: UInt8 = 1

  static func prefix(entity: EntityNumber, record: RecordID) -> [UInt8] {
    var writer = FileWriter()
    writer.put(raw: SyncAttachment.conflicts)
    writer.put(UInt32(entity).byteSwapped)
    writer.put(record.high.byteSwapped)
    writer.put(record.low.byteSwapped)
    return writer.bytes
  }

  var key: [UInt8] {
    var writer = FileWriter()
    writer.put(raw: Conflict.prefix(entity: entity, record: record))
    writer.put(lostStamp)
    writer.put(kind.rawValue)
    writer.put(winningStamp)
    return writer.bytes
  }

  var attachment: StoreAttachment { StoreAttachment(key: key, value: encoded) }

  var encoded: [UInt8] {
    var writer = FileWriter()
    writer.put(Conflict.format)
    writer.put(loggedAtMilliseconds)
    writer.put(UInt32(fields.count))
    for field in fields {
      writer.put(UInt32(field.ordinal))
      writer.put(field.lost)
      writer.put(field.winning)
    }
    return writer.bytes
  }

  init(key: [UInt8], value: [UInt8]) throws {
    var reader = FileReader(key.dropFirst(SyncAttachment.conflicts.count), subject: "an entry of the conflict log")
    entity = Int(try reader.integer(UInt32.self).byteSwapped)
    record = RecordID(
      high: try reader.integer(UInt64.self).byteSwapped, low: try reader.integer(UInt64.self).byteSwapped)
    lostStamp = try reader.stamp()
    guard let kind = Kind(rawValue: try reader.integer()) else { throw reader.damage }
    self.kind = kind
    winningStamp = try reader.stamp()
    try reader.end()

    reader = FileReader(value, subject: "an entry of the conflict log")
    guard try reader.integer(UInt8.self) == Conflict.format else { throw reader.damage }
    loggedAtMilliseconds = try reader.integer()
    fields = []
    for _ in 0..<(try reader.integer(UInt32.self)) {
      let ordinal = Int(try reader.integer(UInt32.self))
      fields.append(Field(ordinal: ordinal, lost: try reader.fieldValue(), winning: try reader.fieldValue()))
    }
    try reader.end()
  }
}
