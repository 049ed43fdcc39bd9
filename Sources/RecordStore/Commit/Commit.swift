import Foundation
import LMDB

/// One save from request to tables: the story of a commit. Everything below it is a rule or a table.
///
/// An intake asks of each record whether a rule looks at it (``RuleGate``): ``LocalIntake`` of a save's changes,
/// ``ArrivalIntake`` of a merge's. Records that pass stay bytes (``ChangeBatch``, ``LeavingRecords``), whose comments
/// say what a record costs there.
///
/// A change that meets a rule (a taken unique value, a one-to-one, links) goes through ``CommitSession``. There an
/// insert costs two dictionary entries (slot, unique claim), values for its fields, one encoding of the record, its
/// index keys in arrays that are sorted once, and its part of the history entry; look-ups in the tree happen only for
/// ids and values that are not beyond everything stored and for targets of references, each target once. An update
/// adds one look-up, one decoding and the old index keys. Nothing is quadratic in the size of a request; a delete costs
/// the records that refer to it.
///
/// The history entry is written straight into its pages; of a large save, part by part (``OutgoingBytes``).
///
/// A small save costs the device's time: LMDB writes every page from root to leaf of each tree that the save
/// touches to free places, which mostly lie apart, waits for them, writes the page that makes them valid, and waits
/// again. So few trees are touched: the rows, and one tree with all indexes of the entity. State and history entry
/// go where a page is written anyway, into LMDB's list of trees; every sixth save or so, the entries there move to
/// the tree of history. In a store of 100,000 records that makes thirteen or fourteen pages for a new one with two
/// indexes: three for its row, five for both index entries (and one more for each full page that it splits), the
/// list of trees, the page that makes all valid, and one to four for LMDB's list of free pages. `SavedPagesTests`
/// counts them. The device is the smaller part of a large save: making the request from objects costs most, then
/// the work here, then copying the pages to the system.
struct Commit: ~Copyable {
  /// The values that come from outside the store.
  struct Surroundings: Sendable {
    var wallMilliseconds: UInt64
    var policy: UniquenessPolicy
    var mutation: RuleMutation?
    var keepsChangedValues = false
    var savesPlainly = true
    var maximumTransactionBytes = TransactionCodec.maximumByteCount
    var processName = ProcessInfo.processInfo.processName
    var processIdentifier = ProcessInfo.processInfo.processIdentifier
  }

  let request: SaveRequest
  /// The changes that the request makes on this device.
  private let local: LocalWork
  let surroundings: Surroundings
  let header: StoreHeader
  private(set) var layout: StoreLayout
  private var state: StoreState
  /// Ids that the caller gave to inserts of a once transaction, and those that they have.
  private let derived: [RecordID: RecordID]
  /// The facts on the tables beside the rows, and the bounds of ids, that the commit before has left; nil and empty
  /// where that is not known.
  private let knownSide: SideTableFacts?
  private let knownBounds: [RecordID?]
  /// The tables as this commit has left them, if it can tell.
  private(set) var left: LeftTables?

  /// `left`: the tables as they are, where that is known.
  init(
    _ request: SaveRequest, surroundings: Surroundings, layout: StoreLayout, left: consuming LeftTables?,
    in transaction: borrowing WriteTransaction, path: String
  ) throws {
    // First, as it can throw: a value that cannot be copied is never there in part.
    if let left {
      (header, state) = (left.header, left.state)
    } else {
      let meta = MetaTable(transaction.view, layout.databases.meta, path: path)
      let found = (header: try meta.header(), state: try meta.state())
      (header, state) = found
    }
    (knownSide, knownBounds) = (left?.side, left?.bounds ?? [])
    self.request = request
    (local, derived) = request.local.derivingIDs(catalogue: layout.catalogue)
    self.surroundings = surroundings
    self.layout = layout
  }

  /// Carries out the request. If it throws, the transaction must be undone.
  mutating func run(in transaction: borrowing WriteTransaction) throws -> SaveResult {
    if let key = local.once, try OnceTable(transaction.view, layout).entry(of: key) != nil {
      return SaveResult(
        number: 0, dot: Dot(replica: header.replica, sequence: 0), stamp: .zero, once: .alreadyDone)
    }
    layout = try layout.adding(request.catalogueAdditions, in: transaction)
    let stamp = try nextStamp()
    if knownSide?.hasAliases ?? true { try GivenAliases.adoptAll(layout, in: transaction) }
    let tellsOfForks = try writeForks(in: transaction)
    if case .merge(let work) = request.work {
      return try merge(work, stamp, learnsOfForks: tellsOfForks, in: transaction)
    }
    let own = makeTransaction(stamp: stamp)
    let told = facts(of: own)
    let gate = try RuleGate(layout, transaction.view, isMerge: false, side: knownSide)
    let passed = PassedChanges(local, layout, transaction.view, gate, stamp, bounds: knownBounds) {
      $0.encoded(in: told)
    }
    try passed.judge(local, asksAlways: tellsOfForks || !savesPlainly)
    try passed.enter(in: transaction)
    if passed.isWhole { return try finish(passed, own, in: transaction) }
    let session = try makeSession(
      transaction.view, stamp, side: passed.side, expectedCount: passed.askedCount)
    try session.apply(beside: passed)
    try session.takeBackNilsOfDisplaced()
    try applyRest(to: session)
    if tellsOfForks { try session.noteAllClaimants() }
    try session.settle()
    try session.releaseDisplaced()
    try session.takeBackValuesOfLeaving()
    try session.validate()
    try session.transcribe()
    passed.endSaying()
    // A record that was only heard of and is inserted now has held its values for a while.
    if !session.equality.claimants.isEmpty {
      try session.deriveClasses()
      try session.settle()
    }

    let outgoing = passed.outgoing(with: session.outgoing)
    var encoding: SideWork<OutgoingBytes>?
    if HistoryAndStamps.areKept, outgoing.byteCount >= LocalIntake.largeByteCount {
      encoding = SideWork { outgoing.encoded(in: told) }
    }
    try passed.write(in: transaction)
    var writer = CommitWriter(session)
    try writer.write(to: transaction)
    try refuseWrongCounts(session, transaction.view)
    try write(request.attachments, in: transaction)
    let settled = session.records.compactMap { record in
      effect(of: record).map { Placed(place: record.place, value: $0) }
    }
    let changes = passed.changes(with: settled)
    let written = Written(changes: changes, remapped: session.remapped, recordCount: outgoing.count) {
      encoding?.value() ?? outgoing.encoded(in: $0)
    }
    let result = try writeHistory(
      of: written, by: own, saysNothing: !tellsOfForks || changes.isEmpty, in: transaction)
    guard var result else { return nothing(session.remapped) }
    result.takenCount = passed.takenCount
    return result
  }

  /// Joins another replica's transactions: what no rule looks at as bytes, the rest by the session.
  private mutating func merge(
    _ work: MergeWork, _ stamp: Stamp, learnsOfForks: Bool, in transaction: borrowing WriteTransaction
  ) throws -> SaveResult {
    let asksAlways =
      learnsOfForks || !surroundings.savesPlainly || surroundings.mutation != nil || surroundings.keepsChangedValues
    var intake = try work.encoded.map {
      try ArrivalIntake($0, layout, transaction.view, asksAlways: asksAlways)
    }
    // Before anything is written.
    let arrived = try intake?.askedArrivals() ?? []
    let asked = try AskedArrivals(arrived, in: StoreSnapshot(transaction: transaction.view, layout: layout))
    try intake?.enter(in: transaction)
    if let intake, intake.isWhole, !learnsOfForks { return try finish(intake, in: transaction) }
    let passed = intake.map { PassedArrivals($0, asked: asked, layout, transaction.view) }
    let session = try makeSession(
      transaction.view, stamp, side: intake?.batch.gate.side, expectedCount: work.facts.count + arrived.count)
    session.division.passed = passed
    for facts in work.facts { try session.merge(facts) }
    for arrival in asked.arrivals { try session.merge(arrival.facts) }
    try session.merge(refused: intake?.batch.refused ?? [])
    if learnsOfForks { try session.noteAllClaimants() }
    try session.deriveClasses()
    try session.settle()

    try passed?.writeRows(in: transaction)
    var writer = CommitWriter(session)
    try writer.write(to: transaction)
    try write(request.attachments, in: transaction)
    let settled = session.records.compactMap { effect(of: $0) }
    let changes = ((passed?.changes ?? []) + settled).sorted { $0.key < $1.key }
    let written = Written(changes: changes, remapped: session.remapped, recordCount: 0) { _ in .none }
    guard var result = try writeHistory(of: written, by: nil, in: transaction) else { return nothing([:]) }
    result.classes = try session.touchedClasses()
    guard let passed else { return result }
    (result.met, result.asked, result.takenCount) = (passed.met, passed.weighed, passed.takenCount)
    result.asked.changed = settled.map(\.key)
    return result
  }

  private func effect(of record: WorkingRecord) -> HistoryChange? {
    record.effect(in: layout.catalogue.entities[record.facts.entity], keepsValues: surroundings.keepsChangedValues)
  }

  /// Whether the gate may let anything of a local save pass.
  private var savesPlainly: Bool {
    guard case .save(let work) = request.work, work.once == nil, !work.keepsUpdatesOfUnknownRecords else {
      return false
    }
    return surroundings.savesPlainly && surroundings.mutation == nil
      // History wants values of the fields that updates change.
      && !(surroundings.keepsChangedValues && work.hasUpdates)
  }

  /// A local save at nothing of which a rule looks.
  private mutating func finish(
    _ passed: PassedChanges, _ own: TransactionOrigin, in transaction: borrowing WriteTransaction
  ) throws -> SaveResult {
    try write(request.attachments, in: transaction)
    let written = Written(changes: passed.changes(), recordCount: passed.outgoingCount, encode: passed.encodedOutgoing)
    let told = try writeHistory(of: written, by: own, in: transaction)
    try passed.write(in: transaction)
    if told != nil, HistoryAndStamps.areKept, let bounds = passed.bounds {
      left = LeftTables(layout: layout, header: header, state: state, side: passed.side, bounds: bounds)
    }
    var result = told ?? nothing([:])
    (result.isPlain, result.takenCount) = (true, passed.takenCount)
    return result
  }

  /// A merge at nothing of which a rule looks.
  private mutating func finish(_ intake: ArrivalIntake, in transaction: borrowing WriteTransaction) throws -> SaveResult
  {
    try intake.writeRows(in: transaction)
    try write(request.attachments, in: transaction)
    let written = Written(changes: intake.changes, recordCount: 0) { _ in .none }
    var result = try writeHistory(of: written, by: nil, in: transaction) ?? nothing([:])
    (result.isPlain, result.met, result.takenCount) = (true, intake.met, intake.takenCount)
    return result
  }

  private func nothing(_ remapped: [RecordID: RecordID]) -> SaveResult {
    SaveResult(number: 0, dot: Dot(replica: header.replica, sequence: 0), stamp: .zero, remapped: remapped)
  }

  /// A local save ticks the clock; a merge shows it what others made.
  private mutating func nextStamp() throws -> Stamp {
    guard let merged = request.merged else {
      if surroundings.mutation == .noLogicalClock { state.clock.seen = .zero }
      return state.clock.tick(wallMilliseconds: surroundings.wallMilliseconds, replica: header.replica)
    }
    try checkContinuity(of: merged)
    for transaction in merged {
      state.clock.observe(transaction.stamp, wallMilliseconds: surroundings.wallMilliseconds)
    }
    return merged.last?.stamp ?? .zero
  }

  private func checkContinuity(of merged: [TransactionOrigin]) throws {
    guard let first = merged.first else {
      throw StoreError(.invalidRequest, "a merge names at least one transaction")
    }
    var next = state.versionVector.sequence(of: first.dot.replica) + 1
    for transaction in merged {
      guard transaction.dot == Dot(replica: first.dot.replica, sequence: next) else {
        throw StoreError(
          .invalidRequest,
          "a merge must go on where the store stands: transaction \(next) of replica "
            + "\(first.dot.replica) is next")
      }
      next += 1
    }
    guard first.dot.replica != header.replica else {
      throw StoreError(.invalidRequest, "a merge brings transactions of this store's own replica: renew its replica id")
    }
  }

  private func makeSession(
    _ view: TransactionView, _ stamp: Stamp, side: SideTableFacts?, expectedCount: Int
  ) throws -> CommitSession {
    var terms = SessionTerms(policy: surroundings.policy, once: local.once, mutation: surroundings.mutation)
    terms.merged = Dictionary(
      (request.merged ?? []).map { ($0.stamp, $0) }, uniquingKeysWith: { first, _ in first })
    if case .migration(let work) = request.work {
      terms.givesLife = false
      terms.newFields = work.newFields
      terms.leavesTargets = work.leavesTargets
    }
    terms.keepsUnknownUpdates = local.keepsUpdatesOfUnknownRecords
    terms.dropsUpdatesOfLeaving = local.dropsUpdatesOfLeaving
    terms.strictIndexes = strictIndexes
    return try CommitSession(layout, view, stamp: stamp, terms, side: side, expectedCount: expectedCount)
  }

  private var strictIndexes: Set<Int> {
    Set(
      local.refusedDuplicates.flatMap { key in
        layout.catalogue.entities[key.entity].indexes.filter { index in
          index.isUnique && index.components.map(\.ordinal) == key.ordinals
        }.map(\.number)
      })
  }

  /// Applies the parts of a request beside changes of records.
  private func applyRest(to session: CommitSession) throws {
    switch request.work {
    case .save, .merge: break
    case .migration(let work):
      for touch in work.touches { try session.touch(touch) }
      for release in work.releases { try session.release(release) }
    case .maintenance(let work):
      session.note(work.forgettings)
      let contained = try session.containment(of: work.restatements)
      for restatement in work.restatements { try session.restate(restatement) }
      if let repetition = work.repetition { try session.repeat(repetition) }
      for forgetting in work.forgettings { try session.forget(forgetting) }
      try session.keep(contained)
    }
  }
}

// Writes beside the records.
extension Commit {
  private func refuseWrongCounts(_ session: CommitSession, _ view: TransactionView) throws {
    for (owner, reference) in session.countedOwners() {
      let rules = layout.rules[reference.holder]
      let database = layout.databases.index(rules.indexes[reference.rule.indexPosition].index.number)
      guard try session.isVisible(owner, among: reference.rule.targets) else { continue }
      let count = try view.recordIDs(in: database, startingWith: ReferenceKey.prefix(owner)).count
      let rule = reference.rule
      guard count < rule.minimumCount || rule.maximumCount > 0 && count > rule.maximumCount else { continue }
      let limits =
        rule.maximumCount > 0 ? "\(rule.minimumCount) to \(rule.maximumCount)" : "at least \(rule.minimumCount)"
      let counted = layout.catalogue.counted(by: rules.entity.fields[rule.ordinal], in: rules.entity)
      throw StoreError(
        .countViolation,
        "\(rule.counting) of a record would lead to \(count) records of \(counted) where \(limits) are "
          + "allowed: change the links")
    }
  }

  /// Writes what the request says of forked streams, before anything is asked of them; whether that is new. Then which
  /// author knew which has another answer for every record here.
  private func writeForks(in transaction: borrowing WriteTransaction) throws -> Bool {
    let notes = request.attachments.filter(ForkedStreams.isNote)
    guard !notes.isEmpty else { return false }
    let before = try ForkedStreams(transaction.view, layout)
    try write(notes, in: transaction)
    return try ForkedStreams(transaction.view, layout) != before
  }

  /// Puts bytes of a higher layer beside the records, in the same commit.
  func write(_ attachments: [StoreAttachment], in transaction: borrowing WriteTransaction) throws {
    guard !attachments.isEmpty else { return }
    let cursor = try transaction.writeCursor(layout.databases.attachments)
    for attachment in attachments {
      guard (1...255).contains(attachment.key.count) else {
        throw StoreError(.invalidRequest, "an attachment's key has 1 to 255 bytes, this one \(attachment.key.count)")
      }
      try attachment.key.withRawBytes { key throws in
        if let value = attachment.value {
          try value.withRawBytes { value throws in try cursor.put(key: key, value: value) }
        } else {
          try cursor.delete(key: key)
        }
      }
    }
  }

  /// The records that a commit has written, as far as history and other devices must know.
  private struct Written {
    let changes: [HistoryChange]
    var remapped: [RecordID: RecordID] = [:]
    /// The number of records of which a local save tells other devices, and how, as part of a transaction; asked once.
    let recordCount: Int
    let encode: (TransactionFacts) -> OutgoingBytes
  }

  /// Appends the history entry and brings the state up to date; nil if nobody would learn anything. `own`: the
  /// transaction, of a local save. `saysNothing`: whether a transaction without records is left out.
  private mutating func writeHistory(
    of written: Written, by own: TransactionOrigin?, saysNothing: Bool = true,
    in transaction: borrowing WriteTransaction
  ) throws -> SaveResult? {
    guard HistoryAndStamps.areKept else {
      return SaveResult(
        number: 0, dot: Dot(replica: header.replica, sequence: 0), stamp: .zero, changes: written.changes)
    }
    var transactions = request.merged ?? []
    var outgoing = OutgoingBytes.none
    if let own {
      guard written.recordCount > 0 || local.once != nil || request.notice != nil || !saysNothing else { return nil }
      transactions = [own]
      outgoing = written.encode(facts(of: own))
      try refuseTooLarge(outgoing)
    }
    guard let last = transactions.last else { return nil }
    let committedAt = Date(timeIntervalSince1970: Double(surroundings.wallMilliseconds) / 1000)
    let entry = HistoryEntry(
      isMerge: request.merged != nil, committedAt: committedAt, processIdentifier: surroundings.processIdentifier,
      processName: surroundings.processName, transactions: transactions, changes: written.changes)
    try write(entry, draining: &outgoing, in: transaction)
    var result = SaveResult(
      number: state.lastNumber, dot: last.dot, stamp: last.stamp, remapped: written.remapped,
      changes: written.changes, once: local.once.map { _ in .performed })
    result.name(derived)
    return result
  }

  /// A save travels to other devices whole, in one file.
  private func refuseTooLarge(_ outgoing: OutgoingBytes) throws {
    let limit = surroundings.maximumTransactionBytes
    guard outgoing.count > limit else { return }
    throw StoreError(
      .invalidRequest,
      "a save of \(outgoing.count) bytes cannot travel to other devices, which take \(limit) at once: "
        + "save its records in several steps")
  }

  /// The word on this save for other devices, but for its records.
  private func facts(of own: TransactionOrigin) -> TransactionFacts {
    TransactionFacts(
      dot: own.dot, stamp: own.stamp, author: own.author, context: own.context, once: own.once, records: [],
      notice: request.notice)
  }

  private func makeTransaction(stamp: Stamp) -> TransactionOrigin {
    let context = state.versionVector.without(header.replica)
    let sequence = state.versionVector.sequence(of: header.replica) + 1
    return TransactionOrigin(
      dot: Dot(replica: header.replica, sequence: sequence), stamp: stamp, author: request.author, context: context,
      once: local.once)
  }

  private mutating func write(
    _ entry: HistoryEntry, draining outgoing: inout OutgoingBytes, in transaction: borrowing WriteTransaction
  ) throws {
    state.lastNumber += 1
    for member in entry.transactions {
      state.versionVector.entries[member.dot.replica] = .init(sequence: member.dot.sequence, stamp: member.stamp)
      if let key = member.once { try OnceEntry(key: key, runs: [member.written]).join(layout, in: transaction) }
    }
    var entry = entry
    entry.seen = state.versionVector
    try HistoryTable.append(
      entry, draining: &outgoing, number: state.lastNumber, layout, in: transaction)
    try state.write(to: transaction)
  }
}
