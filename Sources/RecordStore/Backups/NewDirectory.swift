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
      throw StoreError(
        systemError: errno, doing: "make a directory", path: target.path,
        whereMissing: "check that the folder around it is there")
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
    for url in [unfinished(for: target), former] { try whileLocked(url, for: target) { removeAll(url) } }
  }

  /// Throws `busy` where another process has the directory; where there is none, nothing happens.
  private static func whileLocked(_ url: URL, for target: URL, _ body: () -> Void) throws {
    let descriptor = open(url.path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw busy(target) }
    body()
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
  ///
  /// Returns where it is: at `kept`, or where it waits for that name and cannot have it.
  func replace(keeping kept: URL) throws -> URL {
    try flush()
    var place = kept
    let passing = try passing(kept)
    guard rename(url.path, passing.path) == 0 else {
      throw StoreError(systemError: errno, doing: "keep what is replaced", path: passing.path)
    }
    try Interruption.point("before a store and the new one change places")
    let code = FileNames.exchange(passing.path, target.path)
    if code == 0 {
      isPublished = true
      try Interruption.point("after a store and the new one have changed places")
      // The store is replaced already.
      if rename(passing.path, kept.path) != 0 { place = passing }
    } else {
      rename(passing.path, url.path)
      try takeAway(to: kept, after: code)
      isPublished = true
    }
    try Directory.flushName(of: target)
    return place
  }

  /// Between a store's name and the time at which it was replaced.
  static let keptMark = ".replaced-"
  private static let passingMark = ".unfinished-"

  /// The name under which the new directory waits for its place, and the replaced one for its name. It has the numbers
  /// of the new one and of its device, so that whatever a crash leaves there is known for what it is, and a copy of it
  /// elsewhere is taken for one to keep.
  private func passing(_ kept: URL) throws -> URL {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      throw StoreError(systemError: errno, doing: "look at", path: url.path)
    }
    let name = "\(kept.lastPathComponent)\(Self.passingMark)\(Self.numbers(status))"
    return kept.deletingLastPathComponent().appendingPathComponent(name, isDirectory: true)
  }

  private static func numbers(_ status: stat) -> String { "\(status.st_dev)-\(status.st_ino)" }

  /// Ends what a crash has cut off in ``replace(keeping:)``: removes a new directory that has not come to its place,
  /// and gives replaced ones their names, which are returned.
  static func settle(for target: URL) throws -> [URL] {
    let folder = target.deletingLastPathComponent()
    guard try FileItem.at(folder) == .directory else { return [] }
    return try FileItem.names(in: folder).compactMap { name throws -> URL? in
      guard name.hasPrefix(target.lastPathComponent + keptMark),
        let mark = name.range(of: passingMark, options: .backwards)
      else { return nil }
      let passing = folder.appendingPathComponent(name, isDirectory: true)
      for url in [passing, target] { try whileLocked(url, for: target) {} }
      var status = stat()
      guard lstat(passing.path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return nil }
      if numbers(status) == name[mark.upperBound...] {
        removeAll(passing)
        return nil
      }
      let kept = folder.appendingPathComponent(String(name[..<mark.lowerBound]), isDirectory: true)
      return rename(passing.path, kept.path) == 0 ? kept : nil
    }
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
