import CPeers
import Foundation
import Tandem

/// What LMDB alone takes for the changes that our work makes to a store: the physical cost of our bytes.
///
/// The entries in which the stores before and after differ are put and deleted in a copy of the one before, tree by
/// tree in the order of their keys, in one durable transaction. Nothing is computed, judged or asked meanwhile.
final class ReplayedChanges {
  private let replay: OpaquePointer
  private let copy: String

  /// - Parameter copy: where the store is that is changed, while it is.
  init(before: URL, after: URL, copy: URL) throws {
    let paths = [before, after].map { $0.appending(path: "data.mdb").path }
    guard let replay = lmdb_replay_create(paths[0], paths[1]) else {
      throw BenchmarkError("the changes between \(before.path) and \(after.path) cannot be found")
    }
    self.replay = replay
    self.copy = copy.path
    guard lmdb_replay_agrees(replay, copy.path, paths[1]) != 0 else {
      throw BenchmarkError(
        "LMDB alone makes another store of \(before.path) than our work did, so its time says nothing of our changes")
    }
  }

  /// - Parameter name: of the files, which are made in the folder of the benchmarks.
  convenience init(_ name: String, of container: ModelContainer, bench: Workbench, _ work: () throws -> Void) throws {
    let before = try Self.copy(of: container, name, bench)
    try work()
    try self.init(name, since: before, of: container, bench: bench)
  }

  /// The changes since a copy was made.
  convenience init(_ name: String, since before: URL, of container: ModelContainer, bench: Workbench) throws {
    let after = bench.folder.appending(path: name + ".after")
    try container.backup(to: after)
    try self.init(before: before, after: after, copy: bench.folder.appending(path: name + ".replayed"))
    try FileManager.default.removeItem(at: after)
  }

  static func copy(of container: ModelContainer, _ name: String, _ bench: Workbench) throws -> URL {
    let copy = bench.folder.appending(path: name + ".before")
    try container.backup(to: copy)
    return copy
  }

  deinit { lmdb_replay_close(replay) }

  func seconds() -> Double { lmdb_replay_run(replay, copy) }

  /// A side of a comparison that is only shown.
  static func contestant(_ changes: Prepared<ReplayedChanges>) -> Contestant {
    Contestant("LMDB alone, our changes") { _ in try changes().seconds() }
  }
}

/// The process whose memory is measured while LMDB alone makes the changes.
struct Replayer {
  let before: URL
  let after: URL

  func run() throws {
    let changes = try ReplayedChanges(before: before, after: after, copy: after.appendingPathExtension("replayed"))
    let held = try ProcessMemory.bytes("RssAnon:")
    let peak = MemoryPeak()
    guard changes.seconds() >= 0 else { throw BenchmarkError("LMDB alone cannot make the changes") }
    print(held, try peak.end())
  }
}
