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
    do {
      try PrivateFile.make(data, at: new.path)
      guard rename(new.path, url.path) == 0 else { throw CocoaError(.fileWriteUnknown) }
    } catch {
      unlink(new.path)
      throw SubscriptionError(.unreadableFile, Sentence(.noteUnwritable, .text(url.path)))
    }
  }

  /// With its rights from the beginning: `FileManager` gives them to a file that has its content and its name already.
  private static func make(_ data: Data, at path: String) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw CocoaError(.fileWriteUnknown) }
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    try handle.write(contentsOf: data)
    try handle.close()
  }
}
