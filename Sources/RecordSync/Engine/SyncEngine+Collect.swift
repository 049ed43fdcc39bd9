import Foundation
public import RecordStore

extension SyncEngine {
  /// Forgets the dead records that nobody can bring back any more, and tells the other replicas to do the same.
  ///
  /// Waits for nobody: while a known replica has not shown that it knows the deletes, nothing happens and the report
  /// says nothing was collected. Nobody sees a difference but in size; see <doc:Collection>. One durable commit.
  ///
  /// - Throws: as ``sync()`` does.
  public func collect() throws -> SyncReport {
    try openFolder()
    var report = SyncReport()
    try settleCollections(report: &report)
    try collect(olderThan: 0, report: &report)
    try publishHead()
    return report
  }

  /// Says for good that a replica is gone: collection waits for it no more. The fact travels to all others.
  ///
  /// Should the device come back, it goes on under a new id and loses nothing.
  ///
  /// - Throws: ``SyncError`` `unknownReplica` for a replica that nobody has heard of, and for this store's own; else as
  ///   ``sync()``.
  public func retire(_ replica: ReplicaID) throws -> SyncReport {
    try openFolder()
    let peers = try peers()
    guard replica != peers.own else {
      throw SyncError(.unknownReplica, "\(replica) is this store's own replica; retire it from another device")
    }
    guard peers.all.contains(replica) else {
      throw SyncError(
        .unknownReplica, "no replica \(replica) is known here; 'tandem status' lists the replicas and their ids")
    }
    var report = SyncReport()
    if !peers.state.retired.contains(replica) {
      let work = MaintenanceWork(notice: SyncNotice(retired: [replica]).encoded)
      _ = try store.commit(SaveRequest(.maintenance(work), attachments: [CollectionState.retired(replica)]))
    }
    try exportTransactions(into: &report)
    try publishHead()
    return report
  }

  /// `seconds`: how long ago a delete must have been, by its stamp.
  func collect(olderThan seconds: Double, report: inout SyncReport) throws {
    let peers = try peers()
    let now = store.configuration.clock.now()
    let age = UInt64(millisecondsOf: seconds)
    let isMutated = store.configuration.ruleMutation == .collectionOnAcknowledgement
    let (_, count) = try store.commit { snapshot in
      let state = try CollectionState(snapshot)
      let applied = try snapshot.versionVector
      let stable = StableCut(
        own: try snapshot.replica, applied: applied, heads: peers.heads, known: peers.awaited, shared: peers.shared,
        isAcknowledgementEnough: isMutated)
      guard let cut = try stable.cut?.withoutForked(snapshot.forkedStreams), state.pending.isEmpty else {
        return (SaveRequest(), 0)
      }
      // A clock that runs ahead makes no delete old: the newest save that is known says how late it is, too.
      let present = min(now, try snapshot.clockStamp.wallMilliseconds)
      let limit = seconds == 0 ? .max : present - min(present, age)
      // A clock that never was credible makes stamps without a time: how old they are nobody knows.
      guard limit > 0 else { return (SaveRequest(), 0) }
      let records = try snapshot.collectableRecords(within: cut, beforeMilliseconds: limit)
      guard !records.isEmpty else { return (SaveRequest(), 0) }
      let collection = TombstoneCollection(
        stamp: try snapshot.clockStamp, covered: applied, cut: cut, records: records)
      var work = MaintenanceWork(notice: SyncNotice(collection: .init(cut: cut, records: records)).encoded)
      work.forgettings = [Forgetting(records: records, covered: applied)]
      return (SaveRequest(.maintenance(work), attachments: state.attachments(after: collection)), records.count)
    }
    report.recordsCollected += count
  }

  /// Carries out the collections of others for which everything has arrived.
  func settleCollections(report: inout SyncReport) throws {
    let now = store.configuration.clock.now()
    while true {
      let (_, count) = try store.commit { snapshot -> (SaveRequest, Int?) in
        let state = try CollectionState(snapshot)
        guard let due = try state.pending.first(where: { try $0.isDue(in: snapshot) }) else {
          return (SaveRequest(), nil)
        }
        let settlement = try CollectionSettlement(due, state: state, in: snapshot, nowMilliseconds: now)
        return (settlement.request, due.records.count)
      }
      guard let count else { return }
      report.recordsCollected += count
    }
  }

  /// A replica that others have retired goes on under a new id. Its saves until then are in its old stream.
  func renewReplicaIfRetired(report: inout SyncReport) throws {
    let (own, retired) = try store.read { (try $0.replica, try CollectionState($0).retired) }
    guard retired.contains(own) else { return }
    try exportTransactions(into: &report)
    let renewed = try store.renewReplica(because: .retired)
    report.warnings.append("this device was retired while it was away: it goes on as replica \(renewed)")
  }
}

extension SyncEngine {
  func peers() throws -> Peers { try Peers(of: store, in: folder) }
}
