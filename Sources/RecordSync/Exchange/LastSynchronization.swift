import RecordStore

/// When a store was last synchronised with a folder, or with another device, as it notes itself.
///
/// Noted when a run has ended with everything delivered, in a commit. A run that had nothing to do notes it once an
/// hour, so that a watch does not write to the disk for ever only to say when.
public struct LastSynchronization: Hashable, Codable, Sendable {
  /// The path of the folder, or of the other device's directory.
  public var path: String
  /// By this device's clock, since 1970; of a run that had nothing to do it may be an hour too early.
  public var milliseconds: UInt64

  private static let formatVersion: UInt8 = 1
  private static let interval: UInt64 = 3_600_000
  /// The oldest of more goes.
  private static let maximumCount = 16

  /// Newest first.
  static func all(of store: RecordStore) throws -> [LastSynchronization] {
    try store.read { snapshot in
      var found: [LastSynchronization] = []
      try snapshot.forEachAttachment(prefix: SyncAttachment.synchronized) { _, value in
        if let last = try LastSynchronization(value) { found.append(last) }
        return true
      }
      return found.sorted { $0.milliseconds > $1.milliseconds }
    }
  }

  static func note(_ path: String, in store: RecordStore, hasChanged: Bool) throws {
    let now = store.configuration.clock.now()
    let all = try all(of: store)
    // A clock that was set back says something new.
    if !hasChanged, let last = all.first(where: { $0.path == path })?.milliseconds, last <= now, now - last < interval {
      return
    }
    let stale = all.filter { $0.path != path }.dropFirst(maximumCount - 1).map {
      StoreAttachment(key: key(of: $0.path), value: nil)
    }
    let noted = LastSynchronization(path: path, milliseconds: now)
    _ = try store.commit(SaveRequest(attachments: stale + [StoreAttachment(key: key(of: path), value: noted.encoded)]))
  }

  private static func key(of path: String) -> [UInt8] {
    SyncAttachment.synchronized + ContentHash(of: path.utf8).bytes.prefix(16)
  }

  private var encoded: [UInt8] {
    var writer = FileWriter()
    writer.put(LastSynchronization.formatVersion)
    writer.put(milliseconds)
    writer.put(path)
    return writer.bytes
  }

  private init(path: String, milliseconds: UInt64) { (self.path, self.milliseconds) = (path, milliseconds) }

  /// Nil for a format to come.
  private init?(_ value: [UInt8]) throws {
    var reader = FileReader(value, subject: "the store's note of its last synchronisation")
    guard try reader.integer(UInt8.self) == LastSynchronization.formatVersion else { return nil }
    milliseconds = try reader.integer()
    path = try reader.text(limit: 1 << 16)
  }
}
