import Foundation
import LMDB

/// Puts a new store in the place of another one that nobody has open, or that is missing; the other one may be damaged.
struct StoreSuccession {
  /// Above the numbers of a history that cannot be read.
  static let unknownNumbers: UInt64 = 1_000_000_000

  private let url: URL
  private let clock: WallClock
  private let isThere: Bool
  /// The header and the newest number of the store, as far as they can be read.
  private let known: (header: StoreHeader?, lastNumber: UInt64?)

  /// Throws `busy` while a process has the store open, and `notAStore` where something else is in its place.
  init(of url: URL, _ configuration: StoreConfiguration) throws {
    self.url = url
    clock = configuration.clock
    for kept in try NewDirectory.settle(for: url)
    where try FileItem.at(url.appendingPathComponent(StoreBackup.folder)) == nil {
      try StoreSuccession.takeCopies(from: kept, to: url)
    }
    let item = try FileItem.at(url)
    isThere = try FileItem.at(url.path + "/data.mdb") != nil
    guard try !BackupManifest.isThere(in: url.path) else {
      throw StoreError(.invalidRequest, "\(url.path) is a backup itself: name the store that shall be replaced")
    }
    guard try item == nil || isThere || (item == .directory && FileItem.names(in: url).isEmpty) else {
      throw StoreError(.notAStore, "\(url.path) is no store, so it is left as it is: choose another path")
    }
    known = isThere ? try StoreSuccession.read(url) : (nil, nil)
    try requireUnused { () }
  }

  /// Behind it the new store's history goes on.
  var lastNumber: UInt64 { known.lastNumber ?? StoreSuccession.unknownNumbers }

  /// Throws `invalidRequest` if the store is surely not the one that was backed up.
  func requireKin(of manifest: BackupManifest) throws {
    guard let header = known.header, !manifest.isOf(storeID: header.storeID, replicas: [header.replica]) else { return }
    throw StoreError(
      .invalidRequest,
      "the store at \(url.path) is another one than the backup's: restore to another path, or move the store away first"
    )
  }

  /// Returns where the replaced store is kept. On an error it is in its place.
  func complete(with directory: NewDirectory, keepingReplaced: Bool) throws -> URL? {
    guard isThere else {
      try directory.publish()
      return nil
    }
    let kept = try requireUnused { [keptPlace = try keptPlace] in try directory.replace(keeping: keptPlace) }
    try Interruption.point("after a store was replaced")
    try StoreSuccession.takeCopies(from: kept, to: url)
    if keepingReplaced { return kept }
    do {
      try FileItem.remove(kept, "the former store")
    } catch {
      throw StoreError(
        error.code, "the store was replaced, but the former one at \(kept.path) cannot be removed: do it by hand",
        cause: error)
    }
    return nil
  }

  /// Copies from before migrations are the new store's past, too. They must not go with the former one.
  private static func takeCopies(from kept: URL, to url: URL) throws {
    let (former, present) = (
      kept.appendingPathComponent(StoreBackup.folder), url.appendingPathComponent(StoreBackup.folder)
    )
    guard rename(former.path, present.path) == 0 else {
      if errno == ENOENT { return }
      throw StoreError(
        .inputOutput,
        "the store was replaced, but its copies from before migrations stay at \(former.path) "
          + "(\(String(cString: strerror(errno)))): move that folder to \(present.path)")
    }
    try Directory.flush(url)
  }

  /// `shop.store` becomes `shop.store.replaced-20260102T030405Z`.
  private var keptPlace: URL {
    get throws {
      let name = "\(url.lastPathComponent)\(NewDirectory.keptMark)\(StoreBackup.text(clock.now()))"
      var kept = url.deletingLastPathComponent().appendingPathComponent(name, isDirectory: true)
      while try FileItem.at(kept) != nil {
        kept = kept.deletingLastPathComponent().appendingPathComponent(kept.lastPathComponent + "+", isDirectory: true)
      }
      return kept
    }
  }

  @discardableResult
  private func requireUnused<Result>(_ body: () throws -> Result) throws -> Result {
    let outcome = try StoreError.translating(store: url.path) { try Environment.whileUnused(at: url.path, body) }
    guard let outcome else {
      throw StoreError(
        .busy, "the store at \(url.path) is open in this process or another: close it there, then try again")
    }
    return outcome
  }

  /// From its pages, for it may be damaged.
  private static func read(_ url: URL) throws -> (StoreHeader?, UInt64?) {
    var (header, lastNumber): (StoreHeader?, UInt64?) = (nil, nil)
    do {
      _ = try DataFileSurvey.run(directory: url.path, includingStrays: false, tables: [NamedDatabases.Name.meta]) {
        _, key, value in
        do {
          switch key.copied() {
          case StoreHeader.key: header = try StoreHeader(decoding: value, path: url.path)
          case StoreState.key, StoreState.formerKey: lastNumber = try StoreState(decoding: value).lastNumber
          default: return
          }
        } catch is StoreError {
          // Damaged: then it is not known.
          return
        }
      }
    } catch let error as LMDBError where error.code == .invalidFile {
      return (nil, nil)
    } catch let error as LMDBError {
      throw StoreError(error, store: url.path)
    }
    return (header, lastNumber)
  }
}
