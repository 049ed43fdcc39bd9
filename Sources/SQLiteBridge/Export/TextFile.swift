package import Foundation
import RecordStore

/// A file that is written line by line.
package final class TextFile {
  private let handle: FileHandle
  private var buffer = Data()
  private let path: String

  /// Makes the file, for its user alone.
  convenience init(making url: URL) throws { try self.init(url, O_CREAT | O_EXCL) }

  /// Takes an empty file that is there. Throws where it is not: an interrupted process may have discarded it on another
  /// thread, and it must not come back.
  package convenience init(filling url: URL) throws { try self.init(url, 0) }

  private init(_ url: URL, _ flags: Int32) throws {
    path = url.path
    // Not by Foundation, which puts another file in the place of the one that is there.
    let descriptor = open(path, O_WRONLY | O_CLOEXEC | flags, 0o600)
    guard descriptor >= 0 else {
      throw BridgeError(.inputOutput, "cannot create \(path): check that its folder exists and may be written to")
    }
    handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  /// Adds a line. It may stay in memory until ``flush()``.
  package func write(line: String) throws {
    buffer.append(contentsOf: line.utf8)
    buffer.append(UInt8(ascii: "\n"))
    if buffer.count >= 1 << 16 { try flush() }
  }

  /// Hands over to the system what was written.
  package func flush() throws {
    do {
      try handle.write(contentsOf: buffer)
    } catch {
      throw BridgeError(.inputOutput, StoreError(error, doing: "write", path: path).message, cause: error)
    }
    buffer.removeAll(keepingCapacity: true)
  }
}
