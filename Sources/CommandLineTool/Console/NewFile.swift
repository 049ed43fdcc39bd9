import Foundation
import Synchronization

/// A file that appears under its name only when it is complete, and never replaces another.
final class NewFile: Sendable {
  private let url: URL
  private let partial: URL
  private let state: Mutex<(handle: FileHandle, buffer: Data)>

  init(path: String) throws {
    url = URL(fileURLWithPath: path)
    partial = url.deletingLastPathComponent().appendingPathComponent(
      ".\(url.lastPathComponent).\(ProcessInfo.processInfo.processIdentifier).partial")
    if FileManager.default.fileExists(atPath: url.path) {
      throw CommandFailure("\(path) is there already; remove it or name another file")
    }
    guard FileManager.default.createFile(atPath: partial.path, contents: nil),
      let handle = FileHandle(forWritingAtPath: partial.path)
    else { throw CommandFailure("cannot create \(path); check that its folder exists and may be written to") }
    state = Mutex((handle, Data()))
  }

  func write(line: String) throws {
    try state.withLock { state in
      state.buffer.append(contentsOf: line.utf8)
      state.buffer.append(UInt8(ascii: "\n"))
      if state.buffer.count >= 1 << 16 { try drain(&state) }
    }
  }

  /// Flushes to the device and gives the file its name.
  func finish() throws {
    try state.withLock { state in
      try drain(&state)
      try explained { try state.handle.synchronize() }
      try explained { try state.handle.close() }
    }
    try explained { try FileManager.default.moveItem(at: partial, to: url) }
  }

  private func drain(_ state: inout (handle: FileHandle, buffer: Data)) throws {
    let (handle, buffer) = state
    try explained { try handle.write(contentsOf: buffer) }
    state.buffer.removeAll(keepingCapacity: true)
  }

  private func explained(_ body: () throws -> Void) throws {
    do {
      try body()
    } catch {
      throw CommandFailure(
        "cannot write \(url.path): \(error.systemReason); no part of it was left behind")
    }
  }

  /// Leaves nothing behind. Called when the work failed, so there is nobody to tell if this fails too.
  func discard() { unlink(partial.path) }
}
