import RecordStore

/// Files of transports that a store fetched and did not take: damaged or foreign ones, and those that others have
/// replaced. They are not fetched again while they are listed alike.
///
/// Maintenance forgets all of them: then each is tried once more.
struct DeclinedFiles: Sendable {
  private static let maximumCount = 10_000

  private let transport: String
  private var reasons: [[UInt8]: String] = [:]
  private var unsaved: [StoreAttachment] = []

  /// `transport`: its name.
  init(by transport: String, of store: RecordStore?) throws {
    self.transport = transport
    reasons =
      try store?.read { snapshot in
        var reasons: [[UInt8]: String] = [:]
        try snapshot.forEachAttachment(prefix: SyncAttachment.declined) { key, value in
          reasons[key] = String(decoding: value, as: UTF8.self)
          return true
        }
        return reasons
      } ?? [:]
  }

  /// Why a file, or a folder, was refused; empty where others have replaced it, and nil where it was not declined.
  /// `look` says how it is listed.
  func reason(for path: String, _ look: String) -> String? { reasons[key(of: path, look)] }

  mutating func note(_ path: String, _ look: String, reason: String) {
    let key = key(of: path, look)
    guard reasons.count < DeclinedFiles.maximumCount, reasons[key] == nil else { return }
    reasons[key] = reason
    unsaved.append(StoreAttachment(key: key, value: Array(reason.utf8)))
  }

  /// One commit, where something was noted.
  mutating func save(in store: RecordStore) throws {
    guard !unsaved.isEmpty else { return }
    _ = try store.commit(SaveRequest(attachments: unsaved))
    unsaved = []
  }

  static func forgetAll(in store: RecordStore) throws {
    let known = try DeclinedFiles(by: "", of: store).reasons.keys
    guard !known.isEmpty else { return }
    _ = try store.commit(SaveRequest(attachments: known.map { StoreAttachment(key: $0, value: nil) }))
  }

  private func key(of path: String, _ look: String) -> [UInt8] {
    SyncAttachment.declined + ContentHash(of: "\(transport)\n\(path)\n\(look)".utf8).bytes.prefix(16)
  }
}
