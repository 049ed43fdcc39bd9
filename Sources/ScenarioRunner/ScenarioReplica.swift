import Foundation
import RecordStore
import RecordSync

/// One replica of a scenario: its store, its own exchange folder, its clock.
final class ScenarioReplica {
  let name: String
  /// The ids under which the store has written, the present one last.
  private(set) var ids: [ReplicaID]
  var id: ReplicaID { ids[ids.count - 1] }
  let time = ManualTime()
  let folder: URL
  private let storeURL: URL
  private var handle: RecordStore?
  private let mutation: RuleMutation?
  private let asksAlways: Bool
  private let largeValueBytes: Int?
  private let takesValuesOnDemand: Bool
  /// The device's part of the family's key; nil: the scenario's folders are not encrypted.
  var keyRing: ScenarioKeyRing?
  /// How often the store was opened, so that ids that it takes differ each time and are the same in each run.
  private var openings = 0
  /// The report of the last engine run on this replica.
  var report = SyncReport()
  /// Whether a step has emptied or unmounted the folder; then an engine that stops for it does what it should.
  var isFolderWiped = false

  init(name: String, id: ReplicaID, root: URL, scenario: Scenario, mutation: RuleMutation?, asksAlways: Bool) throws {
    self.name = name
    ids = [id]
    self.mutation = mutation
    self.asksAlways = asksAlways
    largeValueBytes = scenario.largeValueBytes[name]
    takesValuesOnDemand = scenario.valuesOnDemand.contains(name)
    if scenario.isSealed { keyRing = ScenarioKeyRing(signer: scenario.isShared ? name : nil) }
    folder = root.appending(path: "\(name).exchange")
    storeURL = root.appending(path: "\(name).store")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    handle = try open(schema: scenario.schema)
  }

  var dataFile: URL { storeURL.appending(path: "data.mdb") }
  var backupFile: URL { storeURL.appendingPathExtension("backup") }
  /// The folder of large values, which is there once the store has one.
  var valueFiles: URL? { store.externalFolder.map { URL(fileURLWithPath: $0.path) } }
  var backupOfValues: URL { storeURL.appendingPathExtension("values") }

  /// Closes the store, puts another data file and other large values in its place, and opens that.
  func replaceStore(with file: URL, values: URL?, id: ReplicaID) throws {
    let place = valueFiles
    handle = nil
    let (copy, copies) = (storeURL.appendingPathExtension("copy"), storeURL.appendingPathExtension("copies"))
    try FileManager.default.copyItem(at: file, to: copy)
    let hasValues = values.map { FileManager.default.fileExists(atPath: $0.path) } ?? false
    if let values, hasValues { try FileManager.default.copyItem(at: values, to: copies) }
    try FileManager.default.removeItem(at: storeURL)
    try FileManager.default.createDirectory(at: storeURL, withIntermediateDirectories: true)
    try FileManager.default.moveItem(at: copy, to: dataFile)
    if let place, hasValues { try FileManager.default.moveItem(at: copies, to: place) }
    if !ids.contains(id) { ids.append(id) }
    handle = try open(schema: nil)
    try noteID()
  }

  var store: RecordStore {
    guard let handle else { preconditionFailure("the store is open but for the moment in which it is reopened") }
    return handle
  }

  private func open(schema: StoreSchema?) throws -> RecordStore {
    var configuration = StoreConfiguration(url: storeURL, durability: .unsafeNoFlush, clock: time.clock(named: name))
    configuration.replicaOfNewStore = ids[0]
    openings += 1
    configuration.renewalSeed = FileOrders.seed(of: "\(name) \(openings)")
    configuration.ruleMutation = mutation
    configuration.savesPlainly = !asksAlways
    if let largeValueBytes { configuration.largeValueBytes = largeValueBytes }
    // Its copies play copies of whole disks, which only the exchange folder shows.
    configuration.confirmsIdentity = false
    return try RecordStore.open(configuration, schema: schema)
  }

  /// Takes note of a new replica id, which the store may take whenever the engine works.
  func noteID() throws {
    let present = try store.read { try $0.replica }
    if present != id { ids.append(present) }
  }

  /// As after a relaunch.
  func reopen() throws {
    handle = nil
    handle = try open(schema: nil)
  }

  /// `maintainsAtOnce`: maintenance is due, trims what it may, and leaves it to other steps to join files.
  func engine(family: RecordID, transactionsApart: Bool = false, maintainsAtOnce: Bool = false) -> SyncEngine {
    var options = SyncOptions()
    if transactionsApart { options.changeSetBytes = 1 }
    if maintainsAtOnce {
      (options.maintenanceIntervalSeconds, options.historyRetentionSeconds) = (0, 0)
      (options.smallChangeSetLimit, options.snapshotBytes) = (.max, .max)
    }
    options.storeID = family
    options.displayName = name
    options.key = keyRing?.key
    if takesValuesOnDemand { options.largeValues = .onDemand }
    // A scenario says itself when something is forgotten, wherever its clocks jump.
    options.collectionAgeSeconds = 1e12
    return SyncEngine(store: store, folder: folder, options: options)
  }
}
