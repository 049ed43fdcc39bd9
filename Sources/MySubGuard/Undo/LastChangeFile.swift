import Foundation
import LocalizedTexts

/// The file beside the store that holds the last change. It does not travel: undoing is of this device.
///
/// JSON in UTF-8: an object with `format` ("MySubGuard last change"), `version` (1), `kind`, `added` (ids) and `edits`
/// (objects with `before` and `after`). Invariants:
///
/// 1. The file is replaced as a whole, and before the store is saved. A crash between the two leaves a change that
///    never happened: taking it back finds nothing to do, because nothing is as the change would have made it.
/// 2. A file that is larger than 64 MiB, of another format or of a newer version is never read as a change.
/// 3. Only its owner may read it, as the store.
struct LastChangeFile {
  static let format = "MySubGuard last change"
  static let version = 1

  private let file: PrivateFile

  init(beside store: URL) {
    file = PrivateFile(
      url: store.deletingPathExtension().appendingPathExtension("undo"), largestBytes: 64 << 20)
  }

  /// The last change; nil where there is none.
  func read() throws -> LastChange? {
    guard let data = try file.read() else { return nil }
    do {
      let change = try JSONDecoder().decode(LastChange.self, from: data)
      if change.format == Self.format, change.version == Self.version { return change }
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
    try file.write(encoder.encode(change))
    return earlier
  }

  /// Puts back what ``replace(with:)`` returned.
  func restore(_ earlier: Data?) throws {
    if let earlier { return try file.write(earlier) }
    try FileManager.default.removeItem(at: file.url)
  }
}
