import Foundation

/// The folder that is left on a disk.
struct DiskImage: Sendable {
  var folders: Set<String>
  /// `node` tells files apart, as their inodes do.
  var files: [(path: String, node: Int, content: [UInt8])] = []

  /// LMDB's lock file begins anew with the machine: nothing in it outlives a cut.
  private static let volatileName = "lock.mdb"

  /// Into an empty folder.
  func write(to folder: URL) throws {
    try makeFolders(in: folder)
    for file in files where Self.isKept(file.path) {
      try Data(file.content).write(to: folder.appendingPathComponent(file.path))
    }
  }

  func makeFolders(in folder: URL) throws {
    for path in folders.sorted() {
      try FileManager.default.createDirectory(
        at: folder.appendingPathComponent(path), withIntermediateDirectories: true)
    }
  }

  static func isKept(_ path: String) -> Bool { !path.hasSuffix(volatileName) }
}
