import Foundation

/// Small files that survive a power cut once they are written.
enum DurableText {
  /// Writes a file and flushes it. Throws what the file system says.
  static func write(_ text: String, to file: URL) throws {
    try Data(text.utf8).write(to: file)
    let handle = try FileHandle(forWritingTo: file)
    try handle.synchronize()
    try handle.close()
  }
}
