package import Foundation

/// A file or folder that gets its name when it is complete: until then it lies beside its place, under a name with the
/// process's number.
package struct PartialFile: Sendable {
  package let target: URL
  package let partial: URL
  private let replaces: Bool

  /// - Parameter remedy: The end of the sentence that refuses to replace a file.
  /// - Throws: ``BridgeError`` `alreadyThere` if something has the name and `replacing` is false.
  package init(
    _ target: URL, replacing: Bool, remedy: String = "name another place, or ask for it to be replaced (--force)"
  ) throws {
    self.target = target
    replaces = replacing
    partial = target.deletingLastPathComponent().appendingPathComponent(
      ".\(target.lastPathComponent).\(ProcessInfo.processInfo.processIdentifier).partial")
    var isDirectory: ObjCBool = false
    if FileManager.default.fileExists(atPath: target.path, isDirectory: &isDirectory) {
      guard replacing else {
        throw BridgeError(.alreadyThere, "\(target.path) is there already: \(remedy)")
      }
      guard !isDirectory.boolValue else {
        throw BridgeError(.alreadyThere, "\(target.path) is a folder, which is never replaced: name another place")
      }
    }
    guard FileManager.default.isWritableFile(atPath: target.deletingLastPathComponent().path) else {
      throw BridgeError(
        .inputOutput, "cannot create \(target.path): check that its folder exists and may be written to")
    }
  }

  /// Lets `body` write the file; then it gets its name. If anything throws, nothing is left.
  package func write<Result>(_ body: (URL) throws -> Result) throws -> Result {
    discard()
    do {
      let result = try body(partial)
      try finish()
      return result
    } catch {
      discard()
      throw error
    }
  }

  private func finish() throws {
    try flush(partial)
    // A folder takes no other's place, and a new file none that came meanwhile.
    let code = replaces ? rename(partial.path, target.path) : renameOnto()
    guard code == 0 else {
      throw BridgeError(
        .inputOutput, "cannot give \(target.path) its name (\(String(cString: strerror(errno)))): name another place")
    }
    try flush(target.deletingLastPathComponent())
  }

  private func renameOnto() -> Int32 {
    if access(target.path, F_OK) == 0 {
      errno = EEXIST
      return -1
    }
    return rename(partial.path, target.path)
  }

  private func flush(_ url: URL) throws {
    let descriptor = open(url.path, O_RDONLY | O_CLOEXEC)
    defer { if descriptor >= 0 { close(descriptor) } }
    guard descriptor >= 0, fsync(descriptor) == 0 else {
      throw BridgeError(
        .inputOutput,
        "cannot write \(target.path) to its disk (\(String(cString: strerror(errno)))): name another place")
    }
  }

  /// Removes the beginning of a file or folder. Work that is interrupted goes on meanwhile, and what it adds keeps a
  /// folder from being removed: again then. The next attempt replaces what is left.
  package func discard() {
    for _ in 0..<100 {
      guard FileManager.default.fileExists(atPath: partial.path) else { return }
      do { try FileManager.default.removeItem(at: partial) } catch { usleep(1000) }
    }
  }
}
