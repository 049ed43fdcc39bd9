import Foundation
import LMDB
import Synchronization

/// The one way in which a store's data is copied: for backups, before migrations, and for stores that are copied or
/// restored.
///
/// Fills a directory that has no name yet (``NewDirectory``): the data file, flushed to the device, and for a backup
/// its manifest. The copy is one snapshot of the store, whatever is saved meanwhile.
struct StoreCopy {
  let directory: URL
  let configuration: StoreConfiguration
  private var fileMode: UInt16 { configuration.fileMode }

  private var data: String { directory.appendingPathComponent("data.mdb").path }

  /// Copies what an open store has committed. Costs a pass over the store, and its size on the disk.
  ///
  /// Where free pages are copied, too, LMDB waits without a limit for a save that goes on, and begins then. So the copy
  /// takes the writers' turn first, and `busy` is thrown if it does not come in time; others save again as soon as the
  /// copy has begun.
  ///
  /// - Parameters:
  ///   - sharesFiles: the copy may have the files of large values in common with the store.
  ///   - progress: gets how many bytes are written, from another thread; about ten times a second.
  func fill(
    from environment: Environment, compacting: Bool, sharesFiles: Bool = false,
    progress: (@Sendable (UInt64) -> Void)? = nil
  ) throws {
    let turn = compacting ? nil : try takeTurn(environment)
    let watch = CopyWatch(data, hasBegun: { turn?.release() }, progress)
    defer { watch.end() }
    do {
      try environment.copy(to: directory.path, compacting: compacting)
    } catch let error as LMDBError {
      // It is the copy's disk that has no room: the store is only read.
      throw StoreError(error, store: error.code == .diskFull ? directory.path : environment.path)
    }
    // Where the data is now: another store may lie in its former place. Without a name it has nothing beside it.
    if let place = environment.presentPath {
      share(with: place)
      try copyValues(from: place, sharesFiles: sharesFiles)
    }
    try Interruption.point("after the data of a copy was written")
  }

  /// Nil where nobody can write: a store in memory has no name for others, and one that is opened for reading only has
  /// a medium or rights that allow no more.
  private func takeTurn(_ environment: Environment) throws -> WriterLock? {
    guard configuration.url != nil, !environment.isReadOnly, let place = environment.presentPath else { return nil }
    let turn = try WriterLock(store: URL(fileURLWithPath: place, isDirectory: true), mode: fileMode)
    try turn.acquire(timeoutSeconds: configuration.timeoutSeconds, doing: "copy")
    return turn
  }

  /// Copies the data file of a backup, which nobody writes to, byte by byte. Returns what was copied.
  func fill(fromBackupAt url: URL, progress: (@Sendable (UInt64) -> Void)? = nil) throws -> FileDigest {
    let source = url.appendingPathComponent("data.mdb").path
    let target = open(data, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode_t(fileMode))
    guard target >= 0 else { throw StoreError(systemError: errno, doing: "make the copy", path: data) }
    defer { close(target) }
    let digest = try FileDigest(source, copyingTo: (target, data)) { progress?($0) }
    guard fsync(target) == 0 else { throw StoreError(systemError: errno, doing: "flush the copy", path: data) }
    try copyValues(from: url.path, sharesFiles: false)
    try Interruption.point("after the data of a copy was written")
    return digest
  }

  /// After the data: what that names is there, for a file keeps its name long after the last record let go of it.
  private func copyValues(from store: String, sharesFiles: Bool) throws {
    var configuration = configuration
    configuration.url = directory
    guard let source = configuration.externalFolder(of: store),
      let target = configuration.externalFolder(of: directory.path)
    else { return }
    try source.copy(to: target, links: sharesFiles)
  }

  /// Gives the copy the permissions of the store's data.
  private func share(with store: String) {
    let copy = open(data, O_RDWR | O_NOFOLLOW | O_CLOEXEC)
    guard copy >= 0 else { return }
    FileRights.take(copy, from: store + "/data.mdb")
    close(copy)
  }

  /// Makes the copy a backup, once it is checked: reads it from end to end.
  func mark(_ head: CopyHead, madeAtMilliseconds: UInt64, isCompact: Bool) throws -> BackupManifest {
    let manifest = BackupManifest(
      head.header, lastNumber: head.lastNumber, madeAtMilliseconds: madeAtMilliseconds, isCompact: isCompact,
      data: try FileDigest(data))
    try manifest.write(in: directory, mode: fileMode)
    try Interruption.point("after a copy was marked as a backup")
    return manifest
  }
}

/// Tells when another thread has begun to write a file, once and at the end at the latest, and how far it has grown.
private final class CopyWatch {
  private let timer: any DispatchSourceTimer
  private let queue = DispatchQueue(label: "tandem.copy")
  private let hasBegun: Once

  init(_ path: String, hasBegun: @escaping @Sendable () -> Void, _ progress: (@Sendable (UInt64) -> Void)?) {
    let once = Once(hasBegun)
    let timer = DispatchSource.makeTimerSource(queue: queue)
    // Others wait for the beginning.
    timer.schedule(deadline: .now() + 0.001, repeating: 0.001)
    // One that is cancelled lets go of its handler, and so of itself.
    timer.setEventHandler {
      var status = stat()
      guard stat(path, &status) == 0, status.st_size > 0 else { return }
      if once.run() {
        timer.schedule(deadline: .now() + 0.1, repeating: 0.1)
      } else {
        progress?(UInt64(status.st_size))
      }
    }
    timer.activate()
    self.timer = timer
    self.hasBegun = once
  }

  func end() {
    timer.cancel()
    hasBegun.run()
  }
}

/// A closure that runs once, on the thread that comes first.
private final class Once: Sendable {
  private let body: Mutex<(@Sendable () -> Void)?>
  init(_ body: @escaping @Sendable () -> Void) { self.body = Mutex(body) }

  /// Whether this call is the one that ran it.
  @discardableResult
  func run() -> Bool {
    body.withLock { body in
      defer { body = nil }
      body?()
      return body != nil
    }
  }
}
