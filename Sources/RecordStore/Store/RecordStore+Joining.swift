import Foundation
import LMDB

/// The facts of another store as a snapshot tells them, for a store that may have facts of its own.
package struct JoinedFacts: Sendable {
  /// Reads the records part by part and gives each part to `body`, which takes it in. Returns what else is to be
  /// written because of them. The snapshot is that of the store, with the parts that were given so far.
  package typealias Records =
    @Sendable (
      _ snapshot: borrowing StoreSnapshot, _ body: (_ part: [RecordFacts]) throws -> Void
    ) throws -> [StoreAttachment]

  /// All but the records.
  package var facts: RestoredFacts
  package var attachments: [StoreAttachment]
  /// The transaction by which history names the arrival: the last one of a replica of which something is new.
  package var announcement: TransactionOrigin?
  package var records: Records
  /// Whether large values are named, and come by themselves.
  package var holdsReferences: Bool

  package init(
    facts: RestoredFacts, attachments: [StoreAttachment], announcement: TransactionOrigin? = nil,
    holdsReferences: Bool = false, records: @escaping Records
  ) {
    self.holdsReferences = holdsReferences
    self.facts = facts
    self.attachments = attachments
    self.announcement = announcement
    self.records = records
  }
}

extension RecordStore {
  /// Joins a snapshot's facts with their stamps, and counts everything that its store had seen as seen: one durable
  /// commit, and one entry of history that tells readers what changed. Returns how many records it brought.
  ///
  /// `build`, and what it returns, may run on another thread, and more than once. If anything throws, the store is as
  /// it was. Holds one part of the records in memory, those of which rules must look at, and the pages that change.
  /// `additions`: the entities that the store lacks, where its catalogue is the given one.
  package func join(
    adding additions: @escaping @Sendable (Catalogue) -> [EntityDefinition] = { _ in [] },
    _ build: @escaping @Sendable (borrowing StoreSnapshot) throws -> JoinedFacts
  ) throws -> Int {
    let wall = configuration.clock.now()
    let path = url.path
    let configuration = configuration
    let external = core.external
    return try write { transaction, layout throws in
      var layout = try layout.adding(additions(layout.catalogue), in: transaction)
      var placement = ValuePlacement(
        layout, external, savesFromByteCount: configuration.largeValueBytes, atMilliseconds: wall)
      var joined = try build(StoreSnapshot(transaction: transaction.view, layout: layout))
      placement.holdsReferences = joined.holdsReferences
      placement.namesValues = joined.holdsReferences
      var state = try MetaTable(transaction.view, layout.databases.meta, path: path).state()
      joined.facts.keepContexts(after: state.versionVector)
      let forks = try ForkedStreams(transaction.view, layout)
      // First, for they say which streams were forked.
      try RecordStore.write(joined.attachments, layout, in: transaction)
      var intake = try RecordStore.intake(of: joined.facts, configuration, layout, in: transaction)
      let consequences = try joined.records(StoreSnapshot(transaction: transaction.view, layout: layout)) {
        part throws in
        var part = part
        try placement.place(&part)
        try intake.take(part, in: transaction)
      }
      layout = try placement.announced(in: layout, transaction)
      try RecordStore.write(consequences, layout, in: transaction)
      let session = try RecordStore.restore(
        joined.facts, beside: &intake, layout, &state, wallMilliseconds: wall, in: transaction
      ) {
        // Which author knew which has another answer where a stream turns out to be forked, for every record here.
        if $0.forks != forks { try $0.noteAllClaimants() }
      }
      if !joined.facts.aliases.isEmpty { try GivenAliases.adoptMissing(layout, in: transaction) }
      if var announcement = joined.announcement {
        // As classes were derived by it, so that this store's own snapshots say no other.
        if let known = try ClaimOrder.context(of: announcement.stamp, layout, transaction.view) {
          announcement.context = known
        }
        state.lastNumber += 1
        let settled = session.records.compactMap {
          $0.effect(in: layout.catalogue.entities[$0.facts.entity], keepsValues: configuration.keepsChangedValues)
        }
        let process = ProcessInfo.processInfo
        let entry = HistoryEntry(
          isMerge: true, committedAt: Date(timeIntervalSince1970: Double(wall) / 1000),
          processIdentifier: process.processIdentifier, processName: process.processName,
          transactions: [announcement], changes: intake.changes(with: settled), seen: state.versionVector)
        var outgoing = OutgoingBytes.none
        try HistoryTable.append(
          entry, draining: &outgoing, number: state.lastNumber, layout, in: transaction)
      }
      try state.write(to: transaction)
      return (intake.count, layout)
    }
  }

  private static func write(
    _ attachments: [StoreAttachment], _ layout: StoreLayout, in transaction: borrowing WriteTransaction
  ) throws {
    for attachment in attachments {
      guard let value = attachment.value else { continue }
      try transaction.put(layout.databases.attachments, key: attachment.key, value: value)
    }
  }
}

extension RestoredFacts {
  /// Leaves out what the contexts say of transactions that the store has already, whose contexts it knows: by them it
  /// has decided which records share a row. Their words on the transactions behind those stay.
  fileprivate mutating func keepContexts(after seen: VersionVector) {
    var last: [ReplicaID: CausalContext] = [:]
    var kept: [CausalContext] = []
    for known in contexts {
      let replica = known.since.replica
      guard let end = seen.entries[replica]?.stamp, known.since <= end else {
        kept.append(known)
        continue
      }
      guard last[replica].map({ $0.since <= known.since }) ?? true else { continue }
      last[replica] = known
    }
    for (replica, known) in last {
      guard let end = seen.entries[replica]?.stamp, let next = end.successor else { continue }
      guard !kept.contains(where: { $0.since == next }) else { continue }
      kept.append(CausalContext(since: next, context: known.context))
    }
    contexts = kept
  }
}

extension Stamp {
  /// The smallest stamp of the same replica that is greater; nil behind the last one.
  fileprivate var successor: Stamp? {
    if counter < .max { return Stamp(time: time, counter: counter + 1, replica: replica) }
    return time < .max ? Stamp(time: time + 1, counter: 0, replica: replica) : nil
  }
}
