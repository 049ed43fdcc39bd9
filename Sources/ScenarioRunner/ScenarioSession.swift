package import Foundation
package import RecordStore
package import RecordSync

/// A scenario carried out step by step by code that looks at the stores in between: the simulator.
///
/// Steps are those of a scenario file, so whatever is found can be kept as one and found again by
/// `tandem scenario run`.
package final class ScenarioSession {
  private let world: ScenarioWorld

  /// `document`: a scenario file's contents. Throws ``ScenarioError`` for what is none. The session's folder is made
  /// in `parent`.
  package init(
    _ document: JSONValue, in parent: URL, mutation: RuleMutation? = nil, asking: AskingReplicas = .none
  ) throws {
    world = try ScenarioWorld(ScenarioParser.parse(document), in: parent, mutation: mutation, asking: asking)
    world.keepsUpdatesOfUnknownRecords = !world.scenario.refusesUnknownUpdates
    try world.enterNames()
  }

  /// Removes everything that the session has written.
  package func remove() throws { try world.remove() }

  package var schema: StoreSchema { world.scenario.schema }
  package static var family: RecordID { ScenarioWorld.family }

  /// Carries out a step. Returns the code of the error with which the engine refused it, nil if it did not. Throws
  /// ``ScenarioError`` for a step that makes no sense where it stands, and whatever else the engine let through.
  package func perform(_ index: Int) async throws -> String? {
    let step = world.scenario.steps[index]
    do {
      try await world.run(step.action, place: step.place)
      return nil
    } catch let error as SyncError {
      return error.code.description
    } catch let error as StoreError {
      return error.code.description
    }
  }

  package func store(of replica: String) -> RecordStore { world.replica(replica).store }
  package func folder(of replica: String) -> URL { world.replica(replica).folder }
  package func report(of replica: String) -> SyncReport { world.replica(replica).report }
  /// All ids under which a replica has written, the present one last.
  package func replicaIDs(of replica: String) -> [ReplicaID] { world.replica(replica).ids }
  package func replicaID(of replica: String) -> ReplicaID { world.replica(replica).id }
  package func engine(of replica: String) -> SyncEngine { world.replica(replica).engine(family: ScenarioWorld.family) }

  /// The last key of the family that a replica was given; nil where folders are not encrypted.
  package func familyKey(of replica: String) -> FamilyKey? { world.replica(replica).keyRing?.familyKey }
  /// The key with which its engine works now.
  package func key(of replica: String) -> FamilyKey? { world.replica(replica).keyRing?.key }
  /// The ids of all keys that the family has had.
  package var keyIDs: [String] { (0...world.newestKey).map { ScenarioKeys.key($0).id } }
  /// The digests of the large values that a replica has put into its own folder, under any key that it was given.
  package func ownValues(of replica: String) throws -> Set<String> {
    let replica = world.replica(replica)
    let keys: [FamilyKey?] = replica.keyRing?.familyKeys ?? [nil]
    return try keys.reduce(into: []) { found, key in
      let folder = ExchangeFolder(root: replica.folder, storeID: ScenarioWorld.family, key: key)
      found.formUnion(try folder.valueNames(of: replica.id))
    }
  }
  /// The folder of all replicas' folders in a replica's exchange folder.
  package func streams(of replica: String) -> URL {
    let parts = world.parts(of: replica, in: replica)
    return parts[parts.count - 1].appending(path: "r")
  }

  /// The id that stands for a record's name on every replica.
  package func record(_ name: String) throws -> RecordID { try world.known(name, place: "the session").id }
}
