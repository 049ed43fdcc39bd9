import Foundation
import RecordStore
import RecordSync

/// The replicas of one run of a scenario, in a temporary folder that goes with it.
final class ScenarioWorld {
  /// One family for all runs, so that two runs of one scenario give equal bytes.
  static let family = RecordID(high: 0x5CE0_A210, low: 1)

  let scenario: Scenario
  let root: URL
  let replicas: [ScenarioReplica]
  let mutation: RuleMutation?
  private var ids: [String: (id: RecordID, entity: String)] = [:]
  /// Whether a step may update a record whose insert has not arrived, as scenarios do; else the store refuses it.
  var keepsUpdatesOfUnknownRecords = false
  /// How often the family's key was replaced, and which devices get no new one.
  var newestKey = 0
  var forgotten: Set<String> = []
  /// The time of the last step that had one.
  private var now: UInt64 = 0

  /// `mutation`: a rule made wrong on purpose, in tests of the simulator.
  init(
    _ scenario: Scenario, in parent: URL = FileManager.default.temporaryDirectory, mutation: RuleMutation? = nil,
    asking: AskingReplicas = .none
  ) throws {
    (self.scenario, self.mutation) = (scenario, mutation)
    root = parent.appending(path: "tandem-scenario-\(UUID().uuidString)")
    let root = self.root
    try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
    do {
      // Rising ids: equal stamps are decided by the greater name.
      replicas = try scenario.replicas.sorted().enumerated().map { index, name in
        try ScenarioReplica(
          name: name, id: ReplicaID(UInt64(index) + 1), root: root, scenario: scenario, mutation: mutation,
          asksAlways: asking.includes(index))
      }
    } catch {
      try FileManager.default.removeItem(at: root)
      throw error
    }
  }

  /// The moment of a step: as it says, or the next one.
  func moment(_ time: UInt64?) -> UInt64 {
    now = time ?? now + 1
    return now
  }

  /// Removes the folder. Stores that are still open keep their pages until they go.
  func remove() throws { try FileManager.default.removeItem(at: root) }

  func replica(_ name: String) -> ScenarioReplica {
    guard let replica = replicas.first(where: { $0.name == name }) else {
      preconditionFailure("the parser lets only known replicas through")
    }
    return replica
  }

  /// The id of a name: the same on every replica, rising in the order in which the steps insert them.
  func record(_ name: String, entity: String, place: String) throws -> RecordID {
    if let known = ids[name] {
      guard known.entity == entity else {
        throw ScenarioError("\(place): \"\(name)\" is a record of \(known.entity), not of \(entity)")
      }
      return known.id
    }
    let id = RecordID(high: ManualTime.origin << 16, low: UInt64(ids.count) + 1)
    ids[name] = (id, entity)
    return id
  }

  /// Enters the id that a once transaction derives for an insert.
  private func enter(_ name: String, _ id: RecordID, _ entity: String, place: String) throws {
    if let known = ids[name], known.id != id {
      throw ScenarioError("\(place): \"\(name)\" is another record already, and a once transaction derives its ids")
    }
    ids[name] = (id, entity)
  }

  func known(_ name: String, place: String) throws -> (id: RecordID, entity: String) {
    guard let known = ids[name] else { throw ScenarioError("\(place): no step before names a record \"\(name)\"") }
    return known
  }

  /// The name of an id, for messages.
  func name(of id: RecordID) -> String { ids.filter { $0.value.id == id }.keys.min() ?? id.description }

  /// Ids for all names at once, so that a step may refer to a record that a later step of another replica inserts.
  func enterNames() throws {
    for step in scenario.steps {
      guard case .save(_, _, let changes, let once) = step.action else { continue }
      var counts: [String: Int] = [:]
      for case .insert(let entity, let name, _) in changes {
        guard let once else {
          _ = try record(name, entity: entity, place: step.place)
          continue
        }
        let ordinal = counts[entity, default: 0]
        counts[entity] = ordinal + 1
        try enter(name, OnceKey(once.key).recordID(entity: entity, ordinal: ordinal), entity, place: step.place)
      }
    }
  }
}
