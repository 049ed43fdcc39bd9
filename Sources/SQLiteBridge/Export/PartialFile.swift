package import Foundation
import RecordStore

/// A file or folder that gets its name when it is complete: until then it lies beside its place, as ``PartialItem``
/// says. Its user alone may read it, as the store; one that replaces a file has that one's permissions.
package struct PartialFile: Sendable {
  package let target: URL
  private let item: PartialItem
  private let replaces: Bool

  /// - Parameters:
  ///   - target: A link to a file stands for that file where it is replaced.
  ///   - remedy: The end of the sentence that refuses to replace a file.
  /// - Throws: ``BridgeError`` `alreadyThere` if something has the name and `replacing` is false.
  package init(
    _ target: URL, replacing: Bool, remedy: String = "name another place, or ask for it to be replaced (--force)"
  ) throws {
    let isTaken = try PartialFile.translating { () throws(StoreError) in try FileItem.isTaken(target) }
    if isTaken, !replacing { throw BridgeError(.alreadyThere, "\(target.path) is there already: \(remedy)") }
    self.target = isTaken ? try PartialFile.replaceable(target) : target
    if let store = FileItem.store(around: self.target) {
      throw BridgeError(.inputOutput, "\(target.path) lies in the store at \(store.path): name a place outside of it")
    }
    replaces = isTaken
    item = PartialItem(for: self.target)
    guard FileManager.default.isWritableFile(atPath: self.target.deletingLastPathComponent().path) else {
      throw BridgeError(
        .inputOutput, "cannot create \(target.path): check that its folder exists and may be written to")
    }
  }

  private static func replaceable(_ target: URL) throws -> URL {
    var isDirectory: ObjCBool = false
    guard FileManager.default.fileExists(atPath: target.path, isDirectory: &isDirectory) else {
      throw BridgeError(.alreadyThere, "\(target.path) is a link that leads nowhere: remove it, or name another place")
    }
    guard !isDirectory.boolValue else {
      throw BridgeError(.alreadyThere, "\(target.path) is a folder, which is never replaced: name another place")
    }
    // A pipe's reader, and all that write to a device, would lose it.
    if case .other? = try FileItem(at: target.path) {
      throw BridgeError(.alreadyThere, "\(target.path) is no file, and only a file is replaced: name another place")
    }
    return target.resolvingSymlinksInPath()
  }

  /// Lets `body` fill the file, which is there and empty; then it gets its name. If anything throws, nothing is left.
  package func write<Result>(_ body: (URL) throws -> Result) throws -> Result {
    try fill({ () throws(StoreError) in try item.makeFile() }, body)
  }

  /// As ``write(_:)``, of a folder.
  package func writeFolder<Result>(_ body: (URL) throws -> Result) throws -> Result {
    try fill({ () throws(StoreError) in try item.makeFolder() }, body)
  }

  private func fill<Result>(_ make: () throws(StoreError) -> Void, _ body: (URL) throws -> Result) throws -> Result {
    do {
      try PartialFile.translating(make)
      let result = try body(item.url)
      try finish()
      return result
    } catch {
      discard()
      throw error
    }
  }

  private func finish() throws {
    if replaces { keepPermissions() }
    try flush(item.url)
    // A folder takes no other's place, and a new file none that came meanwhile.
    let code = replaces ? rename(item.url.path, target.path) : renameOnto()
    guard code == 0 else {
      throw BridgeError(
        .inputOutput, "cannot give \(target.path) its name (\(String(cString: strerror(errno)))): name another place")
    }
    try PartialFile.translating { () throws(StoreError) in try Directory.flushName(of: target) }
  }

  private func renameOnto() -> Int32 {
    var status = stat()
    if lstat(target.path, &status) == 0 {
      errno = EEXIST
      return -1
    }
    return rename(item.url.path, target.path)
  }

  /// Whom the person has let read the file may read the new one. Where the system refuses, fewer may.
  private func keepPermissions() {
    var status = stat()
    if stat(target.path, &status) == 0 { chmod(item.url.path, status.st_mode & 0o777) }
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

  /// Removes the beginning of a file or folder. What is left goes with the next one.
  package func discard() { item.discard() }

  private static func translating<Result>(_ body: () throws(StoreError) -> Result) throws(BridgeError) -> Result {
    do {
      return try body()
    } catch {
      throw BridgeError(.inputOutput, error.message, cause: error)
    }
  }
}
