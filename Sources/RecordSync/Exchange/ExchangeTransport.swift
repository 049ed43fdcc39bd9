public import Foundation

/// Moves the files of exchange folders to a place outside of the device, and back.
///
/// A synchronisation over a transport (``DeviceSync/synchronize(_:transport:beginningAnew:)``) asks once for what lies
/// there, fetches in one call what the device lacks, brings in one call what the place lacks, and removes files of the
/// device's own that others have replaced. Large values take a call for each 64 MiB, and travel in pieces of
/// 16 MiB. ``FolderTransport`` and ``RcloneTransport`` are two; an app brings its own for a server of its own. Paths
/// are relative, of components between slashes, and the same on all devices.
///
/// Files hardly ever change: one path has one content, except for the marker `STORE` when the family's key is replaced,
/// and for a file that lies there incomplete, which is brought again. No call may rename, and none needs a lock: other
/// devices list, bring and fetch at the same time. Fetched files are checked from end to end before they are used, so
/// that a transport may deliver wrong or incomplete bytes without harm.
///
/// A call throws ``SyncError`` with one sentence, which is passed on to people: name the place and the remedy, and no
/// secrets. Errors of other types end the synchronisation. A call must end when its task is cancelled. Calls of one
/// synchronisation come one after the other.
public protocol ExchangeTransport: Sendable {
  /// The place's name for people, without secrets. A store remembers by it that it has used the place, so it must stay
  /// the same and be that of no other place.
  var name: String { get }

  /// The folder of this machine in which the files lie; nil, as it is where a transport does not say, for a place
  /// elsewhere. One that holds a device's stores, or lies in one of them, is refused with `sameDirectory`.
  var localFolder: URL? { get }

  /// Returns the files that lie there, at any depth; nil where the place itself is not there. Folders, and files that
  /// are none of ours, may be among them or not.
  ///
  /// - Throws: ``SyncError`` with a sentence for people.
  func list() async throws -> [TransportFile]?

  /// Brings files into a folder on this device, each at its path below that. A file that has gone meanwhile is left out
  /// and is no error. When it throws, some may have been brought.
  ///
  /// - Throws: ``SyncError`` with a sentence for people.
  func get(_ paths: [String], into folder: URL) async throws

  /// Brings files from a folder on this device, each from its path below that, to the same paths there, and makes what
  /// is missing around them. One that lies there already with other bytes is replaced.
  ///
  /// - Throws: ``SyncError`` with a sentence for people.
  func put(_ paths: [String], from folder: URL) async throws

  /// Removes files; one that is not there is no error.
  ///
  /// - Throws: ``SyncError`` with a sentence for people.
  func remove(_ paths: [String]) async throws
}

extension ExchangeTransport {
  /// None: the files lie elsewhere.
  public var localFolder: URL? { nil }
}

/// A file of a transport's list.
public struct TransportFile: Hashable, Sendable {
  /// The path below the transport's place, without a slash in front.
  public var path: String
  /// The file's length.
  public var byteCount: Int
  /// A file that lies there.
  public init(path: String, byteCount: Int) { (self.path, self.byteCount) = (path, byteCount) }
}
