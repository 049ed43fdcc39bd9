import Foundation
import RecordStore

extension SyncEngine {
  /// Whether the device may only read in a shared family, and so writes nothing into the folder.
  var isReader: Bool { options.key?.isReader ?? false }

  /// Whether the store belongs to a shared family.
  var isShared: Bool { options.isShared || options.key?.membership != nil }

  /// Refuses a run where the store was shared, has joined or left since the engine was made, or its family got a new
  /// key: the engine would give the records to the family of before. Throws ``SyncError`` `keyNeeded`.
  func confirmFamily() throws {
    guard let file = options.familyFile else { return }
    let made = options.key?.membership == nil ? nil : options.key
    guard try FamilyFile.ifPresent(at: file)?.key != made else { return }
    throw SyncError(
      .keyNeeded,
      "\(store.url.path) was shared, has joined or left a family, or got a new key since this engine was made; make "
        + "the engine anew, as the next start of the app does")
  }

  /// The store came into its family with all that it knew of another one, which no member has: the first run writes all
  /// of that, once for each folder. So does the first one after it has left a shared family, into that of its place.
  func completeOnce(report: inout SyncReport) throws {
    guard try !isReader && !wasCompleted() else { return }
    guard try isShared || hasBeenShared() else { return }
    try writeWhatIsLacking(into: &report)
    guard report.waiting.isEmpty else { return }
    let others = try store.read { snapshot in
      var keys: [[UInt8]] = []
      let family = completionPrefix
      try snapshot.forEachAttachment(prefix: SyncAttachment.completed) { key, _ in
        // Back in another family, the store brings that one up to date.
        if !key.starts(with: family) { keys.append(key) }
        return true
      }
      return keys
    }
    let attachments = [StoreAttachment(key: completionKey, value: [1])]
    _ = try store.commit(
      SaveRequest(attachments: attachments + others.map { StoreAttachment(key: $0, value: nil) }))
  }

  /// Whether all that the store knew lies in this folder since it belongs to the family.
  private func wasCompleted() throws -> Bool {
    let key = completionKey
    return try store.read { try $0.attachment(key) } != nil
  }

  /// Whether the store has written into a folder of this family, so that it has met it.
  func hasMetFamily() throws -> Bool { try hasCompleted(completionPrefix) }

  private func hasBeenShared() throws -> Bool { try hasCompleted(SyncAttachment.completed) }

  private func hasCompleted(_ prefix: [UInt8]) throws -> Bool {
    try store.read { snapshot in
      var isFound = false
      try snapshot.forEachAttachment(prefix: prefix) { _, _ in
        isFound = true
        return false
      }
      return isFound
    }
  }

  private var completionPrefix: [UInt8] {
    SyncAttachment.completed + ContentHash(of: folder.storeID.description.utf8).bytes.prefix(16)
  }

  private var completionKey: [UInt8] {
    completionPrefix + ContentHash(of: folder.url.standardizedFileURL.path.utf8).bytes.prefix(16)
  }

  /// A warning where a store has saves of its own, on the device of a reader; nil where it has none.
  static func sentence(onSavesKeptIn store: RecordStore) throws -> String? {
    let count = try store.read { try $0.versionVector.sequence(of: $0.replica) }
    guard count > 0 else { return nil }
    return
      "this device only reads in its family: what was saved on it (\(count) "
      + "\(count == 1 ? "transaction" : "transactions")) stays here, and nobody else gets it"
  }
}

extension Membership {
  /// Refuses a folder without files of the family, unless they may begin there. `hasMet`: whether the device has all
  /// that it would write there. Throws ``SyncError`` `folderMissing`.
  func check(_ standing: ExchangeFolder.Standing, of place: String, hasMet: Bool) throws {
    guard standing != .present, role == .reader || !(isFounder || hasMet) else { return }
    throw SyncError(
      .folderMissing,
      standing == .replaced
        ? "\(place) has nothing yet that is encrypted with the family's new key: synchronise again once a writer has"
        : "\(place) holds no files of the family that this device was invited to: name the folder or remote in which "
          + "they lie, or wait until they have arrived")
  }
}
