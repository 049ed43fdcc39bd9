import LMDB

/// The fields that a store's schema has given up, each with the greatest stamp that the store knew at that moment.
///
/// Their values stay, unseen, and show again once a later version declares such a field. Values from before that moment
/// are the store's own and no news of a device that migrated earlier, so a stage may write over them. The attachment
/// `migration.left` lists the fields in order: entity u32 · ordinal u32 · stamp (18 bytes). Earlier builds wrote none.
struct FormerFields {
  private static let key = Array("migration.left".utf8)

  /// By entity and ordinal.
  private(set) var stamps: [EntityNumber: [Int: Stamp]] = [:]

  init(_ snapshot: borrowing StoreSnapshot) throws {
    guard let bytes = try snapshot.attachment(Self.key) else { return }
    try bytes.withRawBytes { bytes throws in
      var reader = ByteReader(bytes, subject: "the list of fields that the schema gave up")
      while !reader.isAtEnd {
        let (entity, ordinal) = (try reader.read(as: UInt32.self), try reader.read(as: UInt32.self))
        stamps[EntityNumber(entity), default: [:]][Int(ordinal)] =
          Stamp(encoded: try reader.read(count: Stamp.byteCount), at: 0)
      }
    }
  }

  /// Notes what a step gives up; false if that is nothing.
  mutating func note(from old: Catalogue, to new: Catalogue, at stamp: Stamp) -> Bool {
    var isChanged = false
    for (before, after) in zip(old.entities, new.entities) {
      for (field, next) in zip(before.fields, after.fields) where field.isDeclared && !next.isDeclared {
        stamps[before.number, default: [:]][field.ordinal] = stamp
        isChanged = true
      }
    }
    return isChanged
  }

  func write(_ layout: StoreLayout, in transaction: borrowing WriteTransaction) throws {
    let fields = stamps.sorted { $0.key < $1.key }.flatMap { entity, stamps in
      stamps.sorted { $0.key < $1.key }.map { (entity, $0.key, $0.value) }
    }
    let value = [UInt8](byteCount: fields.count * (8 + Stamp.byteCount)) { writer in
      for (entity, ordinal, stamp) in fields {
        writer.write(UInt32(entity))
        writer.write(UInt32(ordinal))
        writer.write(stamp)
      }
    }
    try transaction.put(layout.databases.attachments, key: Self.key, value: value)
  }
}
