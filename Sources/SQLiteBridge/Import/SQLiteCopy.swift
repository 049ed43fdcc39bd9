package import Foundation
import RecordStore

/// A private copy of a SQLite file, with the write-ahead log or journal beside it: the original is only read.
///
/// The copy is opened for writing, so that what an app has committed to its log counts. The last reference takes the
/// copy away; that of a process that was killed goes with the next copy.
package final class SQLiteCopy: Sendable {
  /// The file that was copied.
  package let original: URL
  private let item: PartialItem
  private var folder: URL { item.url }
  var path: String { folder.appendingPathComponent("copy.sqlite").path }

  private static let header = Data("SQLite format 3\0".utf8)

  /// Whether a file begins as every SQLite file does.
  package static func isSQLite(_ url: URL) throws -> Bool {
    try requireFile(url)
    guard let handle = FileHandle(forReadingAtPath: url.path) else {
      throw BridgeError(.inputOutput, "cannot read \(url.path): check the path and its permissions")
    }
    return try handle.read(upToCount: header.count) == header
  }

  /// A pipe or a folder is no file to copy, and neither is a link beside the file: the copy would lead to its target,
  /// which SQLite writes to.
  static func requireFile(_ url: URL, followingLinks: Bool = true) throws {
    let path = followingLinks ? url.resolvingSymlinksInPath().path : url.path
    do throws(StoreError) {
      // Says of links in a circle, and of folders that this user may not look into, what they are.
      _ = try FileItem.at(path)
    } catch {
      throw BridgeError(.inputOutput, error.message, cause: error)
    }
    guard FileManager.default.fileExists(atPath: path) else {
      throw BridgeError(.inputOutput, "there is no file \(url.path): check the path")
    }
    let attributes: [FileAttributeKey: Any]
    do {
      attributes = try FileManager.default.attributesOfItem(atPath: path)
    } catch {
      throw BridgeError(.inputOutput, "cannot look at \(url.path): check its permissions", cause: error)
    }
    guard attributes[.type] as? FileAttributeType == .typeRegular else {
      throw BridgeError(.inputOutput, "\(url.path) is no file: name a file")
    }
  }

  /// Makes nothing yet.
  package init(_ url: URL) throws {
    try SQLiteCopy.requireFile(url)
    original = url.resolvingSymlinksInPath()
    item = PartialItem(for: FileManager.default.temporaryDirectory.appendingPathComponent("tandem-import"))
  }

  /// Copies the file, and throws if it changed meanwhile. If anything throws, nothing is left.
  private func make() throws {
    do {
      try item.makeFolder()
      let before = try state()
      for suffix in ["", "-wal", "-journal"] where FileManager.default.fileExists(atPath: original.path + suffix) {
        try SQLiteCopy.requireFile(URL(fileURLWithPath: original.path + suffix), followingLinks: false)
        try FileManager.default.copyItem(atPath: original.path + suffix, toPath: path + suffix)
      }
      guard try state() == before else {
        throw BridgeError(
          .inputOutput, "\(original.path) is being written by another program: close that program and try again")
      }
    } catch let error as BridgeError {
      discard()
      throw error
    } catch {
      discard()
      throw BridgeError(
        .inputOutput, "cannot copy \(original.path) to \(folder.path): check permissions and space", cause: error)
    }
  }

  deinit { discard() }

  /// Copies the file, which may take a while, opens the copy and checks that it is whole. To be called once.
  ///
  /// - Throws: ``BridgeError``.
  func open() throws -> SQLiteConnection {
    try make()
    let connection = try SQLiteConnection.readingCopy(path, of: original.path)
    guard try connection.rows("PRAGMA quick_check(1)") == [[.text("ok")]] else {
      throw BridgeError(
        .damaged, "\(original.path) is damaged: repair it with the program that wrote it, or take a backup")
    }
    return connection
  }

  /// Size and time of the file and of those beside it.
  private func state() throws -> [[String]] {
    try ["", "-wal", "-journal"].map { suffix in
      let path = original.path + suffix
      guard FileManager.default.fileExists(atPath: path) else { return [] }
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      return [FileAttributeKey.size, .modificationDate, .systemFileNumber].map {
        attributes[$0].map { "\($0)" } ?? ""
      }
    }
  }

  /// Removes the copy. It may be gone already, and nothing else can be done with it.
  package func discard() { item.discard() }
}
