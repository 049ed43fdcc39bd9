package import Foundation
import LMDB

/// A directory that names of files were written to.
package enum Directory {
  /// Lets the users of a directory use a file or folder that this process has just made in it.
  package static func share(_ descriptor: Int32, madeIn directory: URL) {
    FileRights.take(descriptor, fromFolder: directory.path)
  }

  /// The same for a new folder.
  package static func share(folder: URL) {
    let descriptor = open(folder.path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    share(descriptor, madeIn: folder.deletingLastPathComponent())
    close(descriptor)
  }

  /// Makes its names durable, also against a power cut. One that this user may not read is left to the system.
  package static func flush(_ directory: URL) throws {
    let descriptor = open(directory.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else {
      if [EACCES, EPERM].contains(errno) { return }
      throw StoreError(systemError: errno, doing: "open", path: directory.path)
    }
    defer { close(descriptor) }
    // Some file systems cannot flush a directory and say EINVAL; the files themselves are flushed all the same.
    guard fsync(descriptor) == 0 || errno == EINVAL else {
      throw StoreError(systemError: errno, doing: "flush", path: directory.path)
    }
  }

  /// Makes the name durable that an item has just got. All see it there already, so where the device refuses, nobody
  /// may hear that nothing was done: that throws `commitOutcomeUnknown`.
  package static func flushName(of item: URL) throws(StoreError) {
    do {
      try flush(item.deletingLastPathComponent())
    } catch {
      let reason = SystemErrorNumber.number(of: (error as? StoreError)?.cause ?? error) ?? EIO
      throw StoreError(
        .commitOutcomeUnknown,
        "\(item.path) is whole and in its place, but a power cut may take that back, for its folder could not be "
          + "flushed (\(String(cString: strerror(reason)))); \(StoreError.remedy(for: reason) ?? "check the disk"), "
          + "and look before repeating it",
        cause: error)
    }
  }
}
