import CChecksum
import Foundation
import LocalizedTexts

/// The file beside the store that holds the last change. It does not travel: undoing is of this device.
///
/// JSON in UTF-8: an object with `format` ("MySubGuard last change"), `version` (2), `change`, the text of another
/// object, and `checksum`, the CRC-32C of that text. The object is one with `kind`, `added` (ids) and `edits` (objects
/// with `before` and `after`). In a file of version 1, the members of both are in one, without a checksum. Invariants:
///
/// 1. The file is replaced as a whole, and before the store is saved. A crash between the two leaves a change that
///    never happened: taking it back finds nothing to do, because nothing is as the change would have made it.
/// 2. A file that is larger than 64 MiB, of another format or of a newer version, or not as it was written, is never
///    read as a change.
/// 3. Only its owner may read it, as the store.
struct LastChangeFile {
  static let format = "MySubGuard last change"
  static let version = 2

  private let file: PrivateFile

  init(beside store: URL) {
    file = PrivateFile(
      url: store.deletingPathExtension().appendingPathExtension("undo"), largestBytes: 64 << 20)
  }

  private struct Envelope: Codable {
    var format = LastChangeFile.format
    var version = LastChangeFile.version
    /// Nil in a file of version 1, and so is the checksum.
    var change: String?
    var checksum: UInt32?
  }

  private static func checksum(_ text: String) -> UInt32 {
    Array(text.utf8).withUnsafeBytes { tandem_crc32c(0, $0.baseAddress, $0.count) }
  }

  /// The last change; nil where there is none.
  func read() throws -> LastChange? {
    guard let data = try file.read() else { return nil }
    do {
      let envelope = try JSONDecoder().decode(Envelope.self, from: data)
      switch (envelope.format, envelope.version, envelope.change) {
      case (Self.format, 1, nil): return try JSONDecoder().decode(LastChange.self, from: data)
      case (Self.format, Self.version, let text?) where envelope.checksum == Self.checksum(text):
        return try JSONDecoder().decode(LastChange.self, from: Data(text.utf8))
      default: break
      }
    } catch is DecodingError {
      // Told below, as for a file of another kind.
    }
    throw SubscriptionError(.unreadableFile, Sentence(.noteUnreadable, .text(file.url.path)))
  }

  /// Returns what the file held.
  func replace(with change: LastChange) throws -> Data? {
    // A note that cannot be read is no change that could be taken back: it gives way.
    let earlier = FileManager.default.fileExists(atPath: file.url.path) ? try Data(contentsOf: file.url) : nil
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    let text = String(decoding: try encoder.encode(change), as: UTF8.self)
    try file.write(encoder.encode(Envelope(change: text, checksum: Self.checksum(text))))
    return earlier
  }

  /// Puts back what ``replace(with:)`` returned.
  func restore(_ earlier: Data?) throws {
    if let earlier { return try file.write(earlier) }
    try FileManager.default.removeItem(at: file.url)
  }
}
