import Foundation
import RecordStore

/// Change sets as they were when they were last found whole, a store's own and copies in other folders, so that none is
/// read again that nobody has written since.
///
/// Maintenance forgets all of them: a disk may lose bytes without a trace, and of files that went nothing should stay.
struct WholeFiles: Sendable {
  private var signatures: [[UInt8]: [UInt8]] = [:]
  private var unsaved: [StoreAttachment] = []
  private var isRead = false

  /// Reads the findings of earlier runs. Called once; then they are known.
  mutating func read(from store: RecordStore) throws {
    guard !isRead else { return }
    isRead = true
    signatures = try store.read { snapshot in
      var found: [[UInt8]: [UInt8]] = [:]
      try snapshot.forEachAttachment(prefix: SyncAttachment.whole) { key, value in
        found[key] = value
        return true
      }
      return found
    }
  }

  func contains(_ file: URL, _ signature: FileSignature) -> Bool {
    !signatures.isEmpty && signatures[WholeFiles.key(of: file)] == signature.encoded
  }

  mutating func note(_ file: URL, _ signature: FileSignature) {
    let key = WholeFiles.key(of: file)
    signatures[key] = signature.encoded
    unsaved.append(StoreAttachment(key: key, value: signature.encoded))
  }

  /// One commit, where files were read.
  mutating func save(in store: RecordStore) throws {
    guard !unsaved.isEmpty else { return }
    _ = try store.commit(SaveRequest(attachments: unsaved))
    unsaved = []
  }

  mutating func forgetAll(in store: RecordStore) throws {
    try read(from: store)
    guard !signatures.isEmpty else { return }
    _ = try store.commit(
      SaveRequest(attachments: signatures.keys.map { StoreAttachment(key: $0, value: nil) }))
    (signatures, unsaved) = ([:], [])
  }

  private static func key(of file: URL) -> [UInt8] {
    SyncAttachment.whole + ContentHash(of: file.path.utf8).bytes.prefix(16)
  }
}
