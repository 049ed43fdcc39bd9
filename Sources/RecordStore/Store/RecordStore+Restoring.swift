import Foundation
import LMDB

/// Facts of another store as its dump tells them: settled once already, from many replicas.
package struct RestoredFacts: Hashable, Sendable {
  package var vector: VersionVector
  /// Ids that an earlier build joined to others for good; each leads to a smaller one.
  package var aliases: [RecordID: RecordID]
  /// As they were written: records that share a row each for themselves.
  package var records: [RecordFacts]
  package var pastWrites: [RecordPastWrite]
  package var contexts: [CausalContext]
  /// The once ledger.
  package var once: [OnceEntry]

  package init(
    vector: VersionVector = VersionVector(), aliases: [RecordID: RecordID] = [:], records: [RecordFacts] = [],
    pastWrites: [RecordPastWrite] = [], contexts: [CausalContext] = [],
    once: [OnceEntry] = []
  ) {
    self.vector = vector
    self.aliases = aliases
    self.records = records
    self.pastWrites = pastWrites
    self.contexts = contexts
    self.once = once
  }
}

// Making a store of a dump.
extension RecordStore {
  /// A new store with another's catalogue, numbers included, as a new replica of its family.
  ///
  /// Throws `damaged` if the catalogue contradicts itself, `invalidRequest` if there is a store already.
  package static func create(
    _ configuration: StoreConfiguration, catalogue: Catalogue, storeID: RecordID
  ) throws -> RecordStore {
    // A part that is read back when the store is opened is checked now: a dump may come from anywhere.
    let catalogue = try CatalogueTable.encode(catalogue).withRawBytes { bytes throws in
      try CatalogueTable.decode(bytes)
    }
    let store = try RecordStore.open(configuration, schema: StoreSchema(entities: []))
    guard store.core.currentLayout.catalogue.entities.isEmpty else {
      throw StoreError(.invalidRequest, "there is a store at \(store.url.path) already: choose another path")
    }
    try store.adopt(storeID: storeID)
    try store.write { transaction, _ throws in ((), try StoreLayout.create(catalogue, in: transaction)) }
    return store
  }

  /// Joins facts with the stamps that they have, without a transaction of this store's history.
  ///
  /// Any number of calls, in any order of the facts; aliases come with the first. If it throws, the store is
  /// as it was before the call.
  package func restore(_ facts: RestoredFacts) throws { try restore(facts, refersToFiles: false) }

  /// `refersToFiles`: the facts have references to values that are in their places.
  func restore(_ facts: RestoredFacts, refersToFiles: Bool) throws {
    let external = core.external
    let wall = configuration.clock.now()
    let path = url.path
    let configuration = configuration
    try write { transaction, layout throws in
      var facts = facts
      var placement = ValuePlacement(
        layout, external, savesFromByteCount: configuration.largeValueBytes, atMilliseconds: wall)
      if !refersToFiles { try placement.placeAsSaved(&facts.records) }
      let layout = try placement.announced(in: layout, transaction)
      var state = try MetaTable(transaction.view, layout.databases.meta, path: path).state()
      var intake = try RecordStore.intake(of: facts, configuration, layout, in: transaction)
      try intake.take(facts.records, in: transaction)
      _ = try RecordStore.restore(facts, beside: &intake, layout, &state, wallMilliseconds: wall, in: transaction)
      try state.write(to: transaction)
      return ((), layout)
    }
  }

  /// Enters the aliases that were given, when all records are there.
  package func settleGivenAliases() throws {
    try write { transaction, layout throws in (try GivenAliases.adoptMissing(layout, in: transaction), layout) }
  }

  /// Rules look at each record where aliases are given, streams are forked, or the configuration asks for it.
  static func intake(
    of facts: RestoredFacts, _ configuration: StoreConfiguration, _ layout: StoreLayout,
    in transaction: borrowing WriteTransaction
  ) throws -> RestoredIntake {
    let asksAlways =
      try !configuration.savesPlainly || configuration.ruleMutation != nil || configuration.keepsChangedValues
      || !facts.aliases.isEmpty || !ForkedStreams(transaction.view, layout).isEmpty
    return RestoredIntake(layout, asksAlways: asksAlways)
  }

  /// Writes what the intake has asked, all but the records of `facts`, and dots; the state is the caller's to write.
  /// `prepare` gets the session before classes are derived.
  static func restore(
    _ facts: RestoredFacts, beside intake: inout RestoredIntake, _ layout: StoreLayout, _ state: inout StoreState,
    wallMilliseconds: UInt64, in transaction: borrowing WriteTransaction,
    prepare: (CommitSession) throws -> Void = { _ in }
  ) throws -> CommitSession {
    try intake.endTaking(in: transaction)
    for known in facts.contexts {
      guard let tables = layout.databases.classTables else { continue }
      try transaction.put(
        tables.contexts, key: ContextTable.key(known.since), value: ContextTable.value(of: known.context))
    }
    let session = try CommitSession(
      layout, transaction.view, SessionTerms(isRestoring: true), expectedCount: intake.asked.count)
    session.equality.aliases = facts.aliases
    for record in intake.asked { try session.merge(record) }
    try session.remember(facts.pastWrites)
    try prepare(session)
    try session.deriveClasses()
    try session.settle()
    var writer = CommitWriter(session)
    try writer.write(to: transaction)
    for entry in facts.once { try entry.join(layout, in: transaction) }
    // The streams go on behind these; number 0 names no transaction of this store's history.
    for (replica, entry) in facts.vector.entries where entry.sequence > state.versionVector.sequence(of: replica) {
      let dot = Dot(replica: replica, sequence: entry.sequence)
      try DotTable.put(dot, number: 0, stamp: entry.stamp, layout, in: transaction)
    }
    try state.join(facts, newest: intake.newestStamp, wallMilliseconds: wallMilliseconds)
    return session
  }
}

extension StoreState {
  /// Everything that the facts' store had seen counts as seen, and new stamps are above all of theirs.
  fileprivate mutating func join(_ facts: RestoredFacts, newest: Stamp, wallMilliseconds: UInt64) throws {
    for (replica, entry) in facts.vector.entries where entry.sequence > versionVector.sequence(of: replica) {
      versionVector.entries[replica] = entry
    }
    let newest = (facts.vector.entries.values.map(\.stamp) + facts.once.compactMap(\.runs.last)).reduce(newest, max)
    guard newest != .zero else { return }
    guard newest.isWithinReach(of: clock.seen) else {
      throw StoreError(
        .damaged,
        "what is to be loaded bears a time at the end of what clocks can count to, above which no device could "
          + "write: find out which device made it")
    }
    clock.observe(newest, wallMilliseconds: wallMilliseconds)
  }
}
