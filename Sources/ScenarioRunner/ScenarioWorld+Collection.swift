import Foundation
import RecordStore
import RecordSync

/// What keeps a family of replicas small: forgetting the dead, and replicas that are gone.
extension ScenarioWorld {
  func collect(on name: String) async throws {
    let replica = replica(name)
    replica.report = try await replica.engine(family: ScenarioWorld.family).collect()
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

  /// The chunks of the author's snapshots in a folder.
  func snapshotFiles(of author: String, in owner: String) throws -> [URL] {
    let family = "tandem1-\(ScenarioWorld.family)"
    return try replica(author).ids.flatMap { id -> [URL] in
      let folder = replica(owner).folder.appending(path: "\(family)/r/\(id)/n")
      guard FileManager.default.fileExists(atPath: folder.path) else { return [] }
      return try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        .filter { $0.hasSuffix(".tsc") }.sorted().map { folder.appending(path: $0) }
    }
  }

  func removeChunk(_ index: Int, of author: String, in owner: String, place: String) throws {
    let all = try snapshotFiles(of: author, in: owner)
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
