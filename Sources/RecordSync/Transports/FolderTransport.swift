public import Foundation
import RecordStore

/// A folder as a transport: for tests of what is built on ``ExchangeTransport``, and for folders that can be asked for
/// files but not watched.
///
/// ```swift
/// let transport = FolderTransport(shelf)
/// let report = try await DeviceSync().synchronize(phone, transport: transport)
/// let paths = try await transport.list()?.map(\.path) ?? []
/// ```
///
/// `tandem sync --folder` and ``DeviceSync/synchronize(_:folder:beginningAnew:)`` read and write the same layout in
/// place, which costs less. Files are written durably and appear whole. Safe to use from any thread.
public struct FolderTransport: ExchangeTransport {
  private let folder: URL

  /// The folder's path.
  public var name: String { folder.path }

  /// The folder.
  public var localFolder: URL? { folder }

  /// A folder that is there, or one to be made in a folder that is there.
  ///
  /// A missing folder may be a disk that is not mounted. So ``DeviceSync/synchronize(_:transport:beginningAnew:)`` goes
  /// on without it only where ``DeviceSync/Options/acceptsForeignDirectories`` says that it may be made, as it is for
  /// `tandem sync --create` and `AutomaticSync`; and where a store has used the folder before, only with
  /// `beginningAnew`. Then the first ``put(_:from:)`` makes it.
  public init(_ folder: URL) { self.folder = folder.standardizedFileURL.resolvingSymlinksInPath() }

  /// Returns the regular files below the folder; nil where it is missing.
  ///
  /// - Throws: ``SyncError`` `unusableFile` or `inputOutput` where the system does not list it.
  public func list() async throws -> [TransportFile]? {
    guard try DurableFile.item(at: folder) == .directory else { return nil }
    return try files(in: folder, path: "")
  }

  private func files(in folder: URL, path: String) throws -> [TransportFile] {
    try Task.checkCancellation()
    return try DurableFile.names(in: folder).flatMap { name -> [TransportFile] in
      let place = folder.appending(path: name)
      switch try DurableFile.item(at: place) {
      case .directory: return try files(in: place, path: path + name + "/")
      case .file(let count): return [TransportFile(path: path + name, byteCount: count)]
      case .other, nil: return []
      }
    }
  }

  /// Copies files out of the folder; as the protocol says.
  ///
  /// - Throws: ``SyncError`` `unusableFile` or `inputOutput`.
  public func get(_ paths: [String], into folder: URL) async throws { try copy(paths, from: self.folder, to: folder) }

  /// Copies files into the folder, each durably and under a private name until it is whole.
  ///
  /// - Throws: ``SyncError`` `folderMissing` where neither the folder nor the one around it is there, `unusableFile` or
  ///   `inputOutput`; those before the one that failed are there.
  public func put(_ paths: [String], from folder: URL) async throws {
    // No more than one folder is made: all of a path would be made in the place of a disk that is not mounted.
    guard try DurableFile.item(at: self.folder.deletingLastPathComponent()) != nil else {
      throw SyncError(
        .folderMissing,
        "neither \(name) is there nor the folder around it: mount the disk on which they lie, or make that folder")
    }
    try copy(paths, from: folder, to: self.folder)
  }

  /// Removes files; what is not there is no error.
  ///
  /// - Throws: ``SyncError`` `inputOutput`; those before the one that failed are gone.
  public func remove(_ paths: [String]) async throws {
    for path in paths { try DurableFile.remove(folder.appending(path: path)) }
  }

  private func copy(_ paths: [String], from source: URL, to target: URL) throws {
    for path in paths {
      try Task.checkCancellation()
      let file = target.appending(path: path)
      let original = source.appending(path: path)
      guard let count = try DurableFile.size(of: original) else { continue }
      try DurableFile.publish(named: file.lastPathComponent, in: file.deletingLastPathComponent()) { put in
        guard try DurableFile.read(original, inPiecesOf: 1 << 20, ofLength: count, put) else {
          throw SyncError(.unusableFile, "\(original.path) was changed while it was copied: run it again")
        }
      }
    }
  }
}
