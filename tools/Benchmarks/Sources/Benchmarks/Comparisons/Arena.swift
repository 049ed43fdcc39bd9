import CPeers
import Foundation
import Tandem

/// Our store and the peers', filled with the same rows, for the comparisons that only read.
final class Arena {
  let bench: Workbench
  let data: Dataset
  let container: ModelContainer
  let peer: PeerStore
  let limit: OpaquePointer
  /// Where its library is there.
  let objectBox: Prepared<ObjectBoxStore>

  /// Bytes of a record as our side stores it; the physical limit moves as many.
  static let recordBytes = 280

  /// - Parameter name: of the stores' files; two arenas of one workbench have two.
  init(_ name: String, bench: Workbench, data: Dataset) throws {
    self.bench = bench
    self.data = data
    container = try bench.container(name)
    peer = try PeerStore(bench.folder, name)
    let path = bench.folder.appending(path: "\(name).lmdb").path
    guard let limit = lmdb_limit_create(path, data.subscriptions.count, Self.recordBytes) else {
      throw BenchmarkError("the store of LMDB alone cannot be made")
    }
    self.limit = limit
    objectBox = Prepared { try bench.objectBoxStore(name, data.subscriptions) }
    try Workbench.insert(data.subscriptions[...], into: container)
    try peer.insertByStatement(data.subscriptions[...])
  }

  deinit { lmdb_limit_close(limit) }

  func context() -> ModelContext { Workbench.context(container) }
}
