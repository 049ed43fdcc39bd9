import RecordStore
import RecordSync

/// Large values, which lie in files beside the stores.
extension ScenarioWorld {
  /// Those that the folder lacks stay awaited.
  func loadValues(on name: String) async throws {
    let replica = replica(name)
    let engine = replica.engine(family: ScenarioWorld.family)
    for value in try replica.store.read({ try $0.listedValues() }) where value.isAwaited {
      do {
        try await engine.loadValue(sha256: value.reference.name)
      } catch let error as SyncError where error.code == .missingValue {
        continue
      }
    }
  }

  /// Twice, for a file first loses its place, and goes with the next look.
  func collectValues(on name: String) throws {
    for _ in 0..<2 { try replica(name).store.collectExternalValues(unusedForSeconds: 0) }
  }
}
