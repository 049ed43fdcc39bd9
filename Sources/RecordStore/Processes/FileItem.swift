package import Foundation

/// An item at a path.
package enum FileItem: Equatable, Sendable {
  case directory
  case file(byteCount: Int)
  case other

  /// Looks at a path, through symbolic links. Nil if nothing is there.
  ///
  /// Throws where the system cannot say: `FileManager.fileExists` takes a device that fails for a place where nothing
  /// is, and a store would be made there.
  package init?(at path: String) throws(POSIXError) {
    var status = stat()
    guard stat(path, &status) == 0 else {
      let number = errno
      // A link that leads nowhere, and a path below a file, are places where nothing is.
      guard [ENOENT, ENOTDIR].contains(number) else { throw POSIXError(POSIXErrorCode(rawValue: number) ?? .EIO) }
      return nil
    }
    self =
      switch status.st_mode & S_IFMT {
      case S_IFDIR: .directory
      case S_IFREG: .file(byteCount: Int(status.st_size))
      default: .other
      }
  }
}

extension FileItem {
  /// Writes a file so that its readers see a whole one, the earlier or the new one. A link to a file stands for that
  /// file. A pipe or a device is written to: it would be lost if a file took its place.
  package static func write(_ data: Data, to url: URL) throws {
    guard try FileItem(at: url.path) == .other else {
      return try data.write(to: url.resolvingSymlinksInPath(), options: .atomic)
    }
    let file = try FileHandle(forWritingTo: url)
    try file.write(contentsOf: data)
    try file.close()
  }

  /// As ``init(at:)``, with a sentence that names the path.
  package static func at(_ path: String) throws(StoreError) -> FileItem? {
    do {
      return try FileItem(at: path)
    } catch {
      throw StoreError(error, doing: "look", path: path)
    }
  }

  /// As ``at(_:)``, for what lies in a store's directory: a user that may not look there may not open the store.
  static func at(_ name: String, inStore store: String) throws(StoreError) -> FileItem? {
    do {
      return try at(store + "/" + name)
    } catch  where error.code == .permissionDenied {
      throw StoreError(.permissionDenied, StoreError.refusal(ofStore: store), cause: error.cause)
    }
  }

  /// An opening asks by paths alone: each URL that is put together takes a dozen allocations.
  static func at(_ url: URL) throws(StoreError) -> FileItem? { try at(url.path) }

  /// Whether a path has a name already, be it that of a link that leads nowhere. Throws ``StoreError`` where the system
  /// cannot say, and for a name that is too long for any file.
  package static func isTaken(_ url: URL) throws(StoreError) -> Bool {
    var status = stat()
    if lstat(url.path, &status) == 0 { return true }
    guard [ENOENT, ENOTDIR].contains(errno) else { throw StoreError(systemError: errno, doing: "look", path: url.path) }
    return false
  }

  /// Whether a path's own name is that of a symbolic link, wherever that leads.
  static func isLink(_ url: URL) -> Bool {
    var status = stat()
    return lstat(url.path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
  }

  /// The place that a path's own name leads to: what is put there lies on the disk that was chosen for it, and the link
  /// goes on leading to it.
  static func behindLink(_ url: URL) -> URL { isLink(url) ? url.resolvingSymlinksInPath() : url }

  /// The store in whose directory a path lies, however deep; nil for a path outside of all stores. A store that is
  /// replaced or removed takes along what lies in its directory.
  package static func store(around url: URL) -> URL? {
    let names = url.standardizedFileURL.deletingLastPathComponent().resolvingSymlinksInPath().pathComponents
    for count in names.indices.dropFirst().reversed() {
      let path = "/" + names[1...count].joined(separator: "/")
      if FileManager.default.fileExists(atPath: path + "/data.mdb") { return URL(fileURLWithPath: path) }
    }
    return nil
  }

  /// Names of what lies in a directory, in no order.
  package static func names(in directory: URL) throws(StoreError) -> [String] {
    do {
      return try FileManager.default.contentsOfDirectory(atPath: directory.path)
    } catch {
      throw StoreError(error, doing: "list the directory", path: directory.path)
    }
  }

  /// Removes what is there, a directory with all that is in it.
  /// `what` names it in the sentence of an error.
  static func remove(_ url: URL, _ what: String) throws(StoreError) {
    guard try at(url) != nil else { return }
    do {
      try FileManager.default.removeItem(at: url)
    } catch CocoaError.fileNoSuchFile {
      // Another process was faster.
      return
    } catch {
      throw StoreError(error, doing: "remove \(what)", path: url.path)
    }
  }
}
