import Foundation
import RecordStore
import RecordSync

/// One replica of a scenario: its store, its own exchange folder, its clock.
final class ScenarioReplica {
  let name: String
  let id: ReplicaID
  let time = ManualTime()
  let folder: URL
  private let storeURL: URL
  private var handle: RecordStore?
  /// What the last engine run on this replica reported.
  var report = SyncReport()

  init(name: String, id: ReplicaID, root: URL, schema: StoreSchema) throws {
    self.name = name
    self.id = id
    folder = root.appending(path: "\(name).exchange")
    storeURL = root.appending(path: "\(name).store")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    handle = try ScenarioReplica.open(storeURL, id: id, time: time, name: name, schema: schema)
  }

  var store: RecordStore {
    guard let handle else { preconditionFailure("the store is open but for the moment in which it is reopened") }
    return handle
  }

  private static func open(
    _ url: URL, id: ReplicaID, time: ManualTime, name: String, schema: StoreSchema?
  ) throws -> RecordStore {
    var configuration = StoreConfiguration(url: url, durability: .unsafeNoFlush, clock: time.clock(named: name))
    configuration.replicaOfNewStore = id
    return try RecordStore.open(configuration, schema: schema)
  }

  /// As after a relaunch.
  func reopen() throws {
    handle = nil
    handle = try ScenarioReplica.open(storeURL, id: id, time: time, name: name, schema: nil)
  }

  func engine(family: RecordID) -> SyncEngine {
    var options = SyncOptions()
    options.storeID = family
    options.displayName = name
    return SyncEngine(store: store, folder: folder, options: options)
  }
}
