import Foundation

/// Tells of errors where no caller can be thrown at.
enum Log {
  static func error(_ message: String) {
    let line = [UInt8]("Tandem: \(message)\n".utf8)
    // Where standard error cannot be written, there is nobody left to tell.
    _ = write(STDERR_FILENO, line, line.count)
  }
}
