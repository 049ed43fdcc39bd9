import Foundation
import RecordStore

/// Files of others that a store has refused, so that the next synchronisation names them without reading them again.
///
/// A file counts as the same while nobody has written it, the stream has not come further here and the clock's reach is
/// the same. Maintenance forgets all of them: then each is tried once more.
///
/// The cost of files that are refused is bounded, too: what they could be unpacked to is added up, and beyond
/// ``maximumUnpackedBytes`` the rest of a run's files waits for the next run.
struct RefusedFiles: Sendable {
  /// A store's knowledge when it refused a file.
  struct Circumstances: Hashable, Sendable {
    /// The last transaction of the file's stream that the store had.
    var sequence: UInt64
    var lastEpoch: UInt16
  }

  static let maximumUnpackedBytes = 4 << 30
  private static let maximumCount = 10_000

  private var reasons: [[UInt8]: [UInt8]] = [:]
  private var unsaved: [StoreAttachment] = []
  private var unpackedBytes = 0

  init() {}

  init(of store: RecordStore) throws {
    reasons = try store.read { snapshot in
      var reasons: [[UInt8]: [UInt8]] = [:]
      try snapshot.forEachAttachment(prefix: SyncAttachment.refused) { key, value in
        reasons[key] = value
        return true
      }
      return reasons
    }
  }

  /// Whether so much was spent on refused files that no further one is read in this run.
  var isExhausted: Bool { unpackedBytes >= RefusedFiles.maximumUnpackedBytes }

  /// Why the file was refused, if it is still the same under the same circumstances.
  func reason(for file: URL, _ circumstances: Circumstances) -> String? {
    guard !reasons.isEmpty, let value = reasons[RefusedFiles.key(of: file, circumstances)],
      let signature = FileSignature.of(file), value.starts(with: signature.encoded)
    else { return nil }
    return String(decoding: value.dropFirst(signature.encoded.count), as: UTF8.self)
  }

  mutating func note(_ file: URL, _ circumstances: Circumstances, reason: String) {
    guard let signature = FileSignature.of(file) else { return }
    unpackedBytes += min(signature.byteCount * 255, ChangeSetHeader.freePayloadBytes)
    let key = RefusedFiles.key(of: file, circumstances)
    guard reasons.count < RefusedFiles.maximumCount || reasons[key] != nil else { return }
    let value = signature.encoded + Array(reason.utf8)
    reasons[key] = value
    unsaved.append(StoreAttachment(key: key, value: value))
  }

  /// One commit, where something was noted.
  mutating func save(in store: RecordStore) throws {
    guard !unsaved.isEmpty else { return }
    _ = try store.commit(SaveRequest(attachments: unsaved))
    unsaved = []
  }

  static func forgetAll(in store: RecordStore) throws {
    let known = try RefusedFiles(of: store).reasons.keys
    guard !known.isEmpty else { return }
    _ = try store.commit(SaveRequest(attachments: known.map { StoreAttachment(key: $0, value: nil) }))
  }

  private static func key(of file: URL, _ circumstances: Circumstances) -> [UInt8] {
    let name = "\(file.path) \(circumstances.sequence) \(circumstances.lastEpoch)"
    return SyncAttachment.refused + ContentHash(of: name.utf8).bytes.prefix(16)
  }
}
