import Foundation
import RecordStore
import RecordSync

/// Keeps a family of replicas small: forgets the dead, and replicas that are gone.
extension ScenarioWorld {
  func collect(on name: String) async throws {
    let replica = replica(name)
    replica.report = try await replica.engine(family: ScenarioWorld.family).collect()
    try replica.noteID()
  }

  func maintain(on name: String) async throws {
    let replica = replica(name)
    replica.report = try await replica.engine(family: ScenarioWorld.family, maintainsAtOnce: true).maintain()
    try replica.noteID()
  }

  func writeSnapshot(on name: String) async throws {
    let replica = replica(name)
    replica.report = try await replica.engine(family: ScenarioWorld.family).writeSnapshot()
  }

  func compact(on name: String) async throws {
    let replica = replica(name)
    replica.report = try await replica.engine(family: ScenarioWorld.family).compact()
  }

  func removeChunk(_ index: Int, of author: String, in owner: String, place: String) throws {
    let all = try files(of: author, in: owner, .chunk)
    guard all.indices.contains(index) else {
      throw ScenarioError(
        "\(place): \(owner) has \(all.count) chunks of \(author)'s snapshots, there is no chunk \(index)")
    }
    try FileManager.default.removeItem(at: all[index])
  }

  /// Every change set of the author in a folder.
  func removeStream(of author: String, in owner: String) throws {
    for file in try files(of: author, in: owner) { try FileManager.default.removeItem(at: file) }
  }

  func retire(_ gone: String, on name: String) async throws {
    let replica = replica(name)
    let id = self.replica(gone).id
    replica.report = try await replica.engine(family: ScenarioWorld.family).retire(id)
  }
}
