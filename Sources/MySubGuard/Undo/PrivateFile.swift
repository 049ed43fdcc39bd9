import Foundation
import LocalizedTexts

/// A small file beside the store that only its owner may read, replaced as a whole.
struct PrivateFile {
  let url: URL
  /// Larger files are refused unread.
  let largestBytes: Int

  /// Nil where there is no file.
  func read() throws -> Data? {
    guard FileManager.default.fileExists(atPath: url.path) else { return nil }
    let size = try url.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
    guard size <= largestBytes else {
      throw SubscriptionError(.unreadableFile, Sentence(.noteUnreadable, .text(url.path)))
    }
    return try Data(contentsOf: url)
  }

  /// Makes the file for its owner alone, then gives it its name: nobody sees half of it, or reads it in between.
  func write(_ data: Data) throws {
    let new = url.appendingPathExtension(UUID().uuidString)
    let isMade = FileManager.default.createFile(
      atPath: new.path, contents: data, attributes: [.posixPermissions: 0o600])
    guard isMade, rename(new.path, url.path) == 0 else {
      unlink(new.path)
      throw SubscriptionError(.unreadableFile, Sentence(.noteUnwritable, .text(url.path)))
    }
  }
}
