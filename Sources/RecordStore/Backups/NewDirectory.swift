import Foundation
import LMDB

/// A directory that gets its name when it is whole: made beside its place, flushed, and renamed.
///
/// Until then its name begins with a point and ends in `.unfinished`, and the process that fills it has it locked.
/// One that a crash left is not locked, and goes with the next one for the same place. One that is not published is
/// removed with this object.
final class NewDirectory {
  let url: URL
  private let target: URL
  private let descriptor: Int32
  private var isPublished = false

  /// Where the directory for a place is filled.
  static func unfinished(for target: URL) -> URL {
    target.deletingLastPathComponent().appendingPathComponent(".\(target.lastPathComponent).unfinished")
  }

  /// Throws `busy` while another process fills one for the same place, `permissionDenied`, `diskFull`, `notFound` where
  /// there is no folder for it.
  init(for target: URL, mode: UInt16) throws {
    self.target = target
    url = NewDirectory.unfinished(for: target)
    try NewDirectory.removeAbandoned(for: target)
    guard mkdir(url.path, mode_t(mode)) == 0 else {
      if errno == EEXIST { throw NewDirectory.busy(target) }
      throw StoreError(systemError: errno, doing: "make a directory", path: url.path)
    }
    descriptor = open(url.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    // From here on all members are set, so a throw ends in `deinit`.
    guard descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let code = errno
      // Another process took it for an abandoned one, and removes it.
      isPublished = code == EWOULDBLOCK
      if isPublished { throw NewDirectory.busy(target) }
      throw StoreError(systemError: code, doing: "lock", path: url.path)
    }
  }

  deinit {
    if !isPublished { NewDirectory.removeAll(url) }
    if descriptor >= 0 { close(descriptor) }
  }

  /// Removes what a crash has left, and puts a directory back that a crash caught on its way out of its place.
  private static func removeAbandoned(for target: URL) throws {
    let former = former(of: target)
    if try FileItem.at(former) != nil, try FileItem.at(target) == nil { rename(former.path, target.path) }
    for url in [unfinished(for: target), former] {
      let descriptor = open(url.path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
      guard descriptor >= 0 else { continue }
      defer { close(descriptor) }
      guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw busy(target) }
      removeAll(url)
    }
  }

  private static func former(of target: URL) -> URL {
    target.deletingLastPathComponent().appendingPathComponent(".\(target.lastPathComponent).former")
  }

  private static func busy(_ target: URL) -> StoreError {
    StoreError(.busy, "another process writes to \(target.path) now: wait until it is done, or choose another path")
  }

  /// Removes the rest of a copy. An item that cannot be removed now goes with the next one.
  private static func removeAll(_ url: URL) {
    do { try FileItem.remove(url, "the rest of a copy") } catch { return }
  }
}

// Publishing.
extension NewDirectory {
  /// Gives the directory its name. Where something other than an empty directory is there, throws `invalidRequest`.
  func publish() throws {
    try flush()
    guard rename(url.path, target.path) == 0 else {
      if [EEXIST, ENOTEMPTY, ENOTDIR].contains(errno) {
        throw StoreError(.invalidRequest, "something is at \(target.path) already: choose another path")
      }
      throw StoreError(systemError: errno, doing: "name the new directory", path: target.path)
    }
    isPublished = true
    try Directory.flushName(of: target)
  }

  /// Puts the directory in the place of the one that is there, in one step, and removes that one.
  func replace() throws {
    try flush()
    let code = FileNames.exchange(url.path, target.path)
    let former = code == 0 ? url : NewDirectory.former(of: target)
    if code != 0 { try takeAway(to: former, after: code) }
    isPublished = true
    try Interruption.point("after two directories have changed places")
    // First, for a power cut may else take the new name back and leave the removal.
    try Directory.flushName(of: target)
    NewDirectory.removeAll(former)
  }

  /// As ``replace()``; the one that was there stays under another name, which nothing has yet.
  func replace(keeping kept: URL) throws {
    try flush()
    // Under the name first that the other one will have: whatever a crash leaves there, the next one removes neither.
    guard rename(url.path, kept.path) == 0 else {
      throw StoreError(systemError: errno, doing: "keep what is replaced", path: kept.path)
    }
    let code = FileNames.exchange(kept.path, target.path)
    if code != 0 {
      rename(kept.path, url.path)
      try takeAway(to: kept, after: code)
    }
    isPublished = true
    try Directory.flushName(of: target)
  }

  /// For file systems that cannot let two names change places. A crash between the steps leaves no directory in its
  /// place.
  private func takeAway(to former: URL, after code: Int32) throws {
    guard [EINVAL, ENOSYS, ENOTSUP].contains(code) else {
      throw StoreError(systemError: code, doing: "replace the directory", path: target.path)
    }
    guard rename(target.path, former.path) == 0 else {
      throw StoreError(systemError: errno, doing: "take away", path: target.path)
    }
    guard rename(url.path, target.path) == 0 else {
      let code = errno
      rename(former.path, target.path)
      throw StoreError(systemError: code, doing: "name the new directory", path: target.path)
    }
  }

  private func flush() throws {
    guard fsync(descriptor) == 0 || errno == EINVAL else {
      throw StoreError(systemError: errno, doing: "flush", path: url.path)
    }
  }
}
