import RecordStore
import RecordSync

/// What keeps a family of replicas small: forgetting the dead, and replicas that are gone.
extension ScenarioWorld {
  func collect(on name: String) async throws {
    let replica = replica(name)
    replica.report = try await replica.engine(family: ScenarioWorld.family).collect()
    try replica.noteID()
  }

  func retire(_ gone: String, on name: String) async throws {
    let replica = replica(name)
    let id = self.replica(gone).id
    replica.report = try await replica.engine(family: ScenarioWorld.family).retire(id)
  }
}
