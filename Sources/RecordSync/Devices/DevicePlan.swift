import Foundation
import RecordStore

/// The work that a synchronisation of device directories would do, store by store.
///
/// ```swift
/// let plan: DevicePlan = try await DeviceSync().plan(phone, laptop)
/// for store: DevicePlan.Store in plan.stores {
///   for (path, device) in store.devices {
///     print(store.place, path, device.isCreated ? "new" : "\(device.transactionsMerged) to merge")
///   }
/// }
/// ```
///
/// Made of what the stores say and of the names of files: what a file really holds is known once it is read, so a
/// damaged one is counted here and refused there.
public struct DevicePlan: Hashable, Codable, Sendable {
  /// The work on one store.
  public struct Store: Hashable, Codable, Sendable {
    /// The work on the store of one device.
    public struct Device: Hashable, Codable, Sendable {
      /// Transactions that it would export.
      public var transactionsExported: UInt64 = 0
      /// Transactions that it would merge.
      public var transactionsMerged: UInt64 = 0
      /// Whether it would take in a snapshot, for change sets that are gone.
      public var joinsSnapshot = false
      /// Whether the store would be made on it.
      public var isCreated = false

      /// Nothing would be done.
      public var isUnchanged: Bool { self == Device() }
    }

    /// The store's place.
    public var place: DeviceDirectory.Place
    /// By the directory's path.
    public var devices: [String: Device] = [:]
    /// Whether the folder held the store before and does not any more, so that all is written there again.
    public var isBegunAnew = false
    /// Why the store could not be looked at; a synchronisation would stop likewise.
    public var failure: String?
  }

  /// The stores that either side has, in the order of their places.
  public var stores: [Store] = []

  /// A plan without stores.
  public init() {}

  /// Nothing would be exported, merged or made.
  public var isUnchanged: Bool {
    stores.allSatisfy { $0.failure == nil && !$0.isBegunAnew && $0.devices.values.allSatisfy(\.isUnchanged) }
  }
}

extension DevicePlan.Store {
  init(place: DeviceDirectory.Place, failure: String) { (self.place, self.failure) = (place, failure) }

  init(
    _ place: DeviceDirectory.Place, _ sides: [DeviceSync.Side], beginningAnew: Bool, passphrase: String?,
    configuration: StoreConfiguration
  ) throws {
    self.place = place
    do {
      let keyed = try DeviceSync.Side.keyed(sides, at: place, passphrase: passphrase)
      try FolderMemory.during { try look(at: keyed, beginningAnew: beginningAnew, configuration) }
    } catch let error as SyncError {
      failure = error.message
    } catch let error as StoreError {
      failure = error.message
    }
  }

  private mutating func look(
    at sides: [DeviceSync.Side], beginningAnew: Bool, _ configuration: StoreConfiguration
  ) throws {
    let folders = sides.map { $0.exchange(at: place) }
    var stores: [String: PlannedStore] = [:]
    for side in sides where side.isDevice {
      guard try side.directory.hasStore(at: place) else { continue }
      var reading = configuration
      reading.url = side.directory.store(at: place)
      reading.isReadOnly = true
      let store = try RecordStore.open(reading)
      stores[side.path] = try PlannedStore(store, storeID: side.familyID(at: place))
      for other in sides where try other.isGone(at: place, for: store) {
        guard beginningAnew else { throw try other.absence(of: place) }
        isBegunAnew = true
      }
    }
    let files = try PlannedFiles(in: folders, and: stores.values.map(\.self))
    for side in sides where side.isDevice {
      devices[side.path] = Device(stores[side.path], files)
    }
  }
}

extension DevicePlan.Store.Device {
  /// `store`: nil where there is none yet. It is made where a file tells its schema.
  fileprivate init(_ store: PlannedStore?, _ files: PlannedFiles) {
    transactionsExported = store?.unexported.reduce(0) { $0 + $1.count } ?? 0
    isCreated = store == nil && files.tellSchema
    var applied = store?.applied ?? [:]
    if let snapshot = files.snapshot(beyond: applied, own: store?.own) {
      joinsSnapshot = true
      applied.merge(snapshot) { max($0, $1) }
    }
    for replica in files.ranges.keys where replica != store?.own {
      let have = applied[replica] ?? 0
      transactionsMerged += files.reached(from: have, of: replica) - have
    }
  }
}

/// A run of consecutive transactions of one replica.
private struct PlannedRange {
  var replica: ReplicaID
  var from: UInt64
  var to: UInt64

  var count: UInt64 { to + 1 - from }
}

/// A store's contribution to a synchronisation.
private struct PlannedStore {
  let own: ReplicaID
  let applied: [ReplicaID: UInt64]
  private(set) var unexported: [PlannedRange] = []

  init(_ store: RecordStore, storeID: RecordID) throws {
    (own, applied, unexported) = try store.read { snapshot in
      let (own, applied) = (try snapshot.replica, try snapshot.versionVector.entries.mapValues(\.sequence))
      var unexported: [PlannedRange] = []
      for replica in try [own] + snapshot.formerReplicas.map(\.replica) {
        let exported = try ExportRecord.lastSequence(of: replica, storeID: storeID, in: snapshot)
        var last = exported
        try snapshot.forEachOutgoing(of: replica, after: exported) { transaction in
          last = transaction.dot.sequence
          return true
        }
        if last > exported { unexported.append(PlannedRange(replica: replica, from: exported + 1, to: last)) }
      }
      return (own, applied, unexported)
    }
  }
}

/// The files that would lie in the folders of all sides once the stores had exported.
private struct PlannedFiles {
  /// In order of their beginnings.
  private(set) var ranges: [ReplicaID: [PlannedRange]] = [:]
  private var snapshots: [[ReplicaID: UInt64]] = []

  var tellSchema: Bool { !ranges.isEmpty || !snapshots.isEmpty }

  init(in folders: [ExchangeFolder], and stores: [PlannedStore]) throws {
    for range in stores.flatMap(\.unexported) { ranges[range.replica, default: []].append(range) }
    for folder in folders {
      for replica in try folder.knownReplicas() {
        ranges[replica, default: []] += try folder.listing(of: replica).files.map {
          PlannedRange(replica: replica, from: $0.from, to: $0.to)
        }
      }
      snapshots += try folder.intactSnapshots().map { $0.manifest.vector.entries.mapValues(\.sequence) }
    }
    ranges = ranges.filter { !$0.value.isEmpty }.mapValues { $0.sorted { ($0.from, $0.to) < ($1.from, $1.to) } }
  }

  /// How far the files lead on, without a gap.
  func reached(from have: UInt64, of replica: ReplicaID) -> UInt64 {
    ranges[replica, default: []].reduce(have) { $1.from <= $0 + 1 ? max($0, $1.to) : $0 }
  }

  /// The snapshot that knows most, where files do not lead on without one.
  func snapshot(beyond applied: [ReplicaID: UInt64], own: ReplicaID?) -> [ReplicaID: UInt64]? {
    func leadsFurther(_ replica: ReplicaID, _ last: UInt64) -> Bool {
      let have = applied[replica] ?? 0
      guard replica != own, last > have else { return false }
      let next = ranges[replica, default: []].first { $0.to > have }
      return last > reached(from: have, of: replica) || next.map { $0.from > have + 1 } ?? false
    }
    return snapshots.filter { $0.contains(where: leadsFurther) }
      .max { $0.values.reduce(0, &+) < $1.values.reduce(0, &+) }
  }
}
