package import Foundation
import LMDB
import Synchronization

/// A file or folder that is filled beside its place, and gets its name when it is whole.
///
/// Until then it is called `.NAME.NUMBER.PID.partial`, of a long name with the beginning and a digest. It is there for
/// its user alone, and the process that fills it has it locked. One that a killed process has left goes with the next
/// one for the same place.
package final class PartialItem: Sendable {
  /// Where it is filled.
  package let url: URL
  private let target: URL
  private struct State {
    var descriptor: Int32 = -1
    var isDiscarded = false
  }
  private let state = Mutex(State())

  private static let suffix = ".partial"
  /// A name has 255 bytes in the usual file systems. The rest is for what is put around it.
  private static let maximumNameBytes = 200
  /// The names of those that this process fills: in a container each process may have the number of one before it.
  private static let own = Mutex<Set<String>>([])
  /// The names of those that were discarded, while anybody knows of them.
  private static let discarded = Mutex<Set<String>>([])

  /// Nothing is made yet.
  package init(for target: URL) {
    self.target = target
    // Counted from one, it would meet what a process of the same number has left, or fills in another container.
    let number = UInt32.random(in: 0 ... .max)
    url = target.deletingLastPathComponent().appendingPathComponent(
      "\(PartialItem.prefix(of: target))\(number).\(getpid())\(PartialItem.suffix)")
    PartialItem.own.withLock { [name = url.lastPathComponent] in _ = $0.insert(name) }
  }

  deinit {
    PartialItem.own.withLock { [name = url.lastPathComponent] in _ = $0.remove(name) }
    PartialItem.discarded.withLock { [name = url.lastPathComponent] in _ = $0.remove(name) }
    state.withLock { if $0.descriptor >= 0 { close($0.descriptor) } }
  }

  /// Makes an empty file, to be filled by whatever opens it.
  ///
  /// Throws ``StoreError``: `permissionDenied`, `diskFull`, `readOnlyFileSystem`, `notFound` without a folder for it,
  /// `invalidRequest` once it was discarded.
  package func makeFile() throws(StoreError) {
    try make { open(url.path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600) }
  }

  /// Makes an empty folder. Throws as ``makeFile()``.
  package func makeFolder() throws(StoreError) {
    try make {
      guard mkdir(url.path, 0o700) == 0 else { return -1 }
      return open(url.path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    }
  }

  /// An interrupted process discards it on one thread while another goes on with the work: nothing comes after that.
  private func make(_ opened: () -> Int32) throws(StoreError) {
    PartialItem.removeAbandoned(for: target)
    try state.withLock { state throws(StoreError) in
      guard !state.isDiscarded else { throw PartialItem.wasGivenUp(target) }
      state.descriptor = opened()
      guard state.descriptor >= 0 else {
        throw StoreError(
          systemError: errno, doing: "create", path: target.path,
          whereMissing: "check that the folder around it is there")
      }
      // A file system without locks leaves the process's number to tell by.
      _ = flock(state.descriptor, LOCK_EX | LOCK_NB)
    }
  }

  /// Removes what is there, and lets nothing be made any more. Work that is interrupted goes on meanwhile, and what it
  /// adds keeps a folder from being removed: again then. False where something is left.
  @discardableResult
  package func discard() -> Bool {
    state.withLock { $0.isDiscarded = true }
    PartialItem.discarded.withLock { [name = url.lastPathComponent] in _ = $0.insert(name) }
    for _ in 0..<100 {
      guard FileManager.default.fileExists(atPath: url.path) else { return true }
      do { try FileManager.default.removeItem(at: url) } catch { usleep(1000) }
    }
    return false
  }

  /// Makes a folder at a place by `make`, unless it is the place of an item that was discarded: a store that is opened
  /// there while another thread discards it would bring the folder back.
  static func makingFolder(at url: URL, _ make: () throws -> Void) throws {
    try discarded.withLock { [name = url.lastPathComponent] discarded in
      guard !discarded.contains(name) else { throw wasGivenUp(url) }
      try make()
    }
  }

  private static func wasGivenUp(_ url: URL) -> StoreError {
    StoreError(.invalidRequest, "the work on \(url.path) was given up: begin it again")
  }

  /// Removes what processes that are gone have begun for a place.
  package static func removeAbandoned(for target: URL) {
    let (folder, prefix) = (target.deletingLastPathComponent(), prefix(of: target))
    let names: [String]
    do {
      names = try FileItem.names(in: folder)
    } catch {
      // A folder that may be written to and not be listed.
      return
    }
    for name in names where name.hasPrefix(prefix) && isAbandoned(name.dropFirst(prefix.count), name) {
      removeUnlocked(folder.appendingPathComponent(name))
    }
  }

  /// `end`: what follows the place's name.
  private static func isAbandoned(_ end: Substring, _ name: String) -> Bool {
    guard end.hasSuffix(suffix) else { return false }
    let numbers = end.dropLast(suffix.count).split(separator: ".", omittingEmptySubsequences: false)
    guard numbers.count == 2, UInt64(numbers[0]) != nil, let writer = pid_t(numbers[1]), writer > 0 else {
      return false
    }
    if writer == getpid() { return !own.withLock { $0.contains(name) } }
    return kill(writer, 0) != 0 && errno == ESRCH
  }

  /// A process of another container, or machine, has it locked while it fills it: no number tells of that one.
  private static func removeUnlocked(_ url: URL) {
    let descriptor = open(url.path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return }
    do {
      try FileManager.default.removeItem(at: url)
    } catch {
      // Another user's, or gone already.
      return
    }
  }

  private static func prefix(of target: URL) -> String {
    let name = target.lastPathComponent
    guard name.utf8.count > maximumNameBytes else { return ".\(name)." }
    var beginning = name
    while beginning.utf8.count > maximumNameBytes { beginning.removeLast() }
    let digest = Array(name.utf8).withRawBytes { StableHash.digest128($0).high }
    return ".\(beginning)~\(String(digest, radix: 16))."
  }
}
