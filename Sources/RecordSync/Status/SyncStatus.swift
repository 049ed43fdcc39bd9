public import Foundation
public import RecordStore

/// How one store stands with the others of its family: for people and programs, read without changing anything.
///
/// ```swift
/// let status = try SyncStatus(of: store, folder: folder, storeID: books.familyID)
/// for replica: SyncStatus.Replica in status.replicas where !replica.isOwn {
///   print(replica.name, "\(replica.appliedHere) of \(replica.lastSequence)")
/// }
/// let last: LastSynchronization? = status.lastSynchronizations.first
/// let date = last.map { Date(timeIntervalSince1970: Double($0.milliseconds) / 1000) }
/// ```
public struct SyncStatus: Hashable, Codable, Sendable {
  /// One replica of the family, as far as it is known.
  public struct Replica: Hashable, Codable, Sendable {
    /// Sixteen hexadecimal digits.
    public var id: String
    /// As the device calls itself; empty while it has said nothing of itself.
    public var name: String
    /// Whether it is this store.
    public var isOwn: Bool
    /// Whether it was retired: nothing waits for it.
    public var isRetired: Bool
    /// Whether this store went by the id before it was copied, restored or retired.
    public var isFormer: Bool
    /// Whether a head of it lies in the folder.
    public var hasHead: Bool
    /// The time of its last save that is known here, by its own clock; nil if it never saved.
    public var lastSavedMilliseconds: UInt64?
    /// Its transactions that are applied here, and how many it says it has.
    public var appliedHere: UInt64
    /// How many transactions it has, as far as is known.
    public var lastSequence: UInt64
    /// This store's own transactions that it has applied, as far as it has said.
    public var appliedThere: UInt64
    /// Whether it describes its records as this store does; nil if it has not said.
    public var hasSameSchema: Bool?
    /// The epoch of its clock: it rises by one whenever a clock that ran years ahead had to be outrun.
    public var epoch: UInt16
    /// The reason for which collection waits; nil if it does not wait for this replica.
    public var collectionWaits: String?
  }

  /// The family's id, as the exchange folder names it.
  public var storeID: String
  /// When this store was last synchronised, with each folder and device, the newest first.
  public var lastSynchronizations: [LastSynchronization]
  /// All replicas that are known, this store's own among them, in the order of their ids.
  public var replicas: [Replica]
  /// Sentences about files that are missing, damaged or not whole.
  public var waiting: [String]
  /// Other devices found this one's clock to be far ahead; until it agrees with theirs it only counts.
  public var isClockDistrusted: Bool
  /// How far the newest edit that is known lies in the future of this device's clock; nil if by less than a minute.
  /// It does not tell whose clock is wrong: a device that has seen such an edit goes on from its time.
  public var clockAheadMilliseconds: UInt64?
  /// Deleted records that are kept because somebody may not know of the delete yet.
  public var tombstones: Int
  /// Collections of others that wait for files that are under way.
  public var pendingCollections: Int
  /// The bytes of all change sets and snapshots in the folder.
  public var folderBytes: Int
  /// How many change sets lie in the folder.
  public var changeSets: Int
  /// How many snapshots lie in the folder, complete or not.
  public var snapshots: Int
  /// This store's own transactions that are in no change set yet, those under an id that it had before among them.
  public var unexported: UInt64
  /// Processes that stand still, or read for long, and let the store's file grow meanwhile.
  public var readersInTheWay: [StoreReader]

  /// Nothing is missing here or under way to others.
  public var isSettled: Bool {
    waiting.isEmpty && pendingCollections == 0 && unexported == 0
      && replicas.allSatisfy { $0.isRetired || $0.appliedHere >= $0.lastSequence }
  }

  /// Looks at a store and its exchange folder. `storeID` names the family in the folder, `key` opens one that is
  /// encrypted. Reads the list of files, the heads, and every hidden record.
  ///
  /// - Throws: ``SyncError`` `unusableFile` or `inputOutput` where the folder cannot be read, and what reading the
  ///   store throws.
  public init(of store: RecordStore, folder root: URL, storeID: RecordID? = nil, key: FamilyKey? = nil) throws {
    try self.init(of: store, ExchangeFolder(root: root, storeID: storeID ?? store.storeID, key: key))
  }

  init(of store: RecordStore, _ folder: ExchangeFolder) throws {
    let peers = try Peers(of: store, in: folder)
    let stable = StableCut(
      own: peers.own, applied: peers.applied, heads: peers.heads, known: peers.awaited, shared: peers.shared)
    let (schema, former) = try store.read { snapshot in
      (try SchemaDescription.identifier(of: snapshot.catalogue), try snapshot.formerReplicas.map(\.replica))
    }
    let now = store.configuration.clock.now()
    self.storeID = folder.storeID.description
    lastSynchronizations = try LastSynchronization.all(of: store)
    readersInTheWay = try store.readers().filter(\.isInTheWay)
    replicas = peers.all.union([peers.own]).sorted().map { replica in
      var found = SyncStatus.replica(replica, peers, stable, ownSchema: schema)
      found.isFormer = former.contains(replica)
      return found
    }
    let newest = replicas.compactMap(\.lastSavedMilliseconds).max() ?? 0
    clockAheadMilliseconds = newest >= now + SyncStatus.noticedMilliseconds ? newest - now : nil
    (waiting, changeSets, folderBytes) = try SyncStatus.files(in: folder, peers)
    snapshots = 0
    for snapshot in try folder.intactSnapshots() {
      snapshots += 1
      folderBytes += snapshot.manifest.payloadBytes
      if try !snapshot.isWhole() { waiting.append("\(snapshot.path) is not complete yet") }
    }
    waiting += try ValueExchange(store: store).awaitedSentence.map { [$0] } ?? []
    pendingCollections = peers.state.pending.count
    (isClockDistrusted, tombstones) = try store.read { snapshot in
      var count = 0
      for entity in snapshot.catalogue.entities {
        try snapshot.forEachStoredFacts(of: entity.number) { facts, isVisible in
          if !isVisible, facts.deleted != nil { count += 1 }
        }
      }
      return (try snapshot.isClockDistrusted, count)
    }
    unexported = try store.read { snapshot in
      let known = peers.applied.sequence(of: peers.own)
      let exported = try ExportRecord.lastSequence(of: peers.own, storeID: folder.storeID, in: snapshot)
      var count = known - min(exported, known)
      for replica in former {
        let exported = try ExportRecord.lastSequence(of: replica, storeID: folder.storeID, in: snapshot)
        try snapshot.forEachOutgoing(of: replica, after: exported) { _ in
          count += 1
          return true
        }
      }
      return count
    }
  }

  /// Clocks that differ by less are told by nobody.
  private static let noticedMilliseconds: UInt64 = 60_000

  private static func replica(
    _ replica: ReplicaID, _ peers: Peers, _ stable: StableCut, ownSchema: [UInt8]
  ) -> Replica {
    let head = peers.heads[replica]?.first
    let here = peers.applied.entries[replica]
    let isOwn = replica == peers.own
    let newest = max(here?.stamp ?? .zero, head?.clock ?? .zero)
    return Replica(
      id: replica.description, name: head?.displayName ?? "", isOwn: isOwn,
      isRetired: peers.state.retired.contains(replica), isFormer: false, hasHead: head != nil,
      lastSavedMilliseconds: newest == .zero ? nil : newest.wallMilliseconds, appliedHere: here?.sequence ?? 0,
      lastSequence: max(here?.sequence ?? 0, head?.lastSequence ?? 0),
      appliedThere: isOwn ? here?.sequence ?? 0 : head?.applied.sequence(of: peers.own) ?? 0,
      hasSameSchema: isOwn ? true : head.flatMap { $0.schemaID.isEmpty ? nil : $0.schemaID == ownSchema },
      epoch: newest.epoch, collectionWaits: stable.blockers[replica].map(sentence))
  }

  private static func sentence(_ blocker: CollectionBlocker) -> String {
    switch blocker {
    case .noHead: "it has not said yet what it knows; synchronise it, or retire it if it is gone"
    case .transactionsMissing(let last): "its transactions up to \(last) have not all arrived"
    }
  }

  private static func files(
    in folder: ExchangeFolder, _ peers: Peers
  ) throws -> (waiting: [String], changeSets: Int, bytes: Int) {
    var waiting: [String] = []
    var (count, bytes) = (0, 0)
    for replica in try folder.knownReplicas() {
      let listing = try folder.listing(of: replica)
      waiting += listing.refused.map(\.reason)
      count += listing.files.count
      bytes += try listing.files.reduce(0) { $0 + (try DurableFile.size(of: $1.url) ?? 0) }
      let have = peers.applied.sequence(of: replica)
      guard replica != peers.own, let next = listing.files.filter({ $0.to > have }).map(\.from).min(), next > have + 1
      else { continue }
      waiting.append("replica \(replica): transactions \(have + 1) to \(next - 1) are missing")
    }
    return (waiting, count, bytes)
  }
}
