import Foundation

/// Small files whose text survives a power cut once it is written.
enum DurableText {
  /// Writes a file and flushes it. Its name is safe once the folder is flushed, too. Throws what the file system says.
  static func write(_ text: String, to file: URL) throws {
    try Data(text.utf8).write(to: file)
    let handle = try FileHandle(forWritingTo: file)
    try handle.synchronize()
    try handle.close()
  }
}
