import Foundation
import LMDB

/// The facts of another store as a snapshot tells them, for a store that may have facts of its own.
package struct JoinedFacts: Sendable {
  package var facts: RestoredFacts
  package var attachments: [SaveRequest.Attachment]
  /// The transaction by which history names the arrival: the last one of a replica of which something is new.
  package var announcement: MergeOrigin.Transaction?

  package init(
    facts: RestoredFacts, attachments: [SaveRequest.Attachment], announcement: MergeOrigin.Transaction? = nil
  ) {
    self.facts = facts
    self.attachments = attachments
    self.announcement = announcement
  }
}

extension RecordStore {
  /// Joins a snapshot's facts with their stamps, and counts everything that its store had seen as seen: one durable
  /// commit, and one entry of history that tells readers what changed. Returns how many records it brought.
  ///
  /// `build` may run on another thread, and more than once. If anything throws, the store is as it was.
  package func join(_ build: @escaping @Sendable (borrowing StoreSnapshot) throws -> JoinedFacts) throws -> Int {
    let wall = configuration.clock.now()
    let path = url.path
    let keepsValues = configuration.keepsChangedValues
    return try write { transaction, layout throws in
      let joined = try build(StoreSnapshot(transaction: transaction.view, layout: layout))
      var state = try MetaTable(transaction.view, layout.databases.meta, path: path).state()
      // First, for they say which streams were forked.
      for attachment in joined.attachments {
        guard let value = attachment.value else { continue }
        try transaction.put(layout.databases.attachments, key: attachment.key, value: value)
      }
      let session = try RecordStore.restore(joined.facts, layout, &state, wallMilliseconds: wall, in: transaction)
      if let announcement = joined.announcement {
        state.lastNumber += 1
        let changes = session.records.compactMap {
          $0.effect(in: layout.catalogue.entities[$0.facts.entity], keepsValues: keepsValues)
        }
        let process = ProcessInfo.processInfo
        let entry = HistoryEntry(
          isMerge: true, committedAt: Date(timeIntervalSince1970: Double(wall) / 1000),
          processIdentifier: process.processIdentifier, processName: process.processName,
          transactions: [announcement], changes: changes, outgoing: [])
        try transaction.put(
          layout.databases.history, key: HistoryTable.key(state.lastNumber), value: entry.encoded(), mode: .append)
      }
      try transaction.put(layout.databases.meta, key: StoreState.key, value: state.encoded())
      return (joined.facts.records.count, layout)
    }
  }
}
