package import Foundation
import LMDB

/// The kind of file system that holds a path, and whether a store may live there.
///
/// LMDB's locks and its shared memory map are only true between processes of one machine, so a store on a file
/// system that several machines can mount would sooner or later be destroyed.
package struct FileSystemKind: Sendable, Hashable {
  /// The system's name for it: `ext4`, `nfs4`, `fuse.sshfs`.
  package let name: String

  /// File systems that may be shared between machines, or whose maps are not coherent between processes.
  private static let remoteNames: Set<String> = [
    "nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "afpfs", "ceph", "coda", "lustre", "glusterfs", "gfs2",
    "ocfs2", "ncpfs", "vboxsf", "virtiofs", "davfs", "webdav", "beegfs", "orangefs", "macfuse", "osxfuse",
  ]

  /// ext2 to ext4, XFS, Btrfs, Bcachefs, F2FS, tmpfs, and overlays as containers have them.
  private static let localNumbers: Set<FileSystemNumber> = [
    0xEF53, 0x5846_5342, 0x9123_683E, 0xCA45_1A4E, 0xF2F5_2010, 0x0102_1994, 0x794C_7630,
  ]

  /// Whether the path is there, and on a common local file system. Its name takes the list of all mounts.
  package static func isPlainlyLocal(_ url: URL) -> Bool {
    FileSystemNumber(ofFileAt: url.path).map(localNumbers.contains) ?? false
  }

  package var isLocal: Bool {
    let isFuse = name == "fuse" || name.hasPrefix("fuse.") || name == "fuseblk"
    return !isFuse && !Self.remoteNames.contains(name)
  }

  /// Throws `networkFileSystem` unless the path, or its nearest existing parent, is on a local file system. One
  /// that the system cannot name counts as local.
  package static func requireLocal(_ url: URL) throws {
    guard !isPlainlyLocal(url), let kind = try FileSystemKind(of: url), !kind.isLocal else { return }
    throw StoreError(
      .networkFileSystem,
      "the store at \(url.path) would be on a network file system (\(kind.name)), where two machines could destroy it; "
        + "keep it on a local disk and synchronise it through an exchange folder")
  }

  /// The path itself, or its nearest parent that exists, without symbolic links.
  static func existingPath(of url: URL) -> String {
    var candidate = url.standardizedFileURL
    while candidate.path != "/" {
      if let resolved = pathWithoutLinks(candidate.path) { return resolved }
      candidate.deleteLastPathComponent()
    }
    return "/"
  }

  /// The path as the system knows it, without symbolic links; nil where nothing is.
  static func pathWithoutLinks(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}
