public import RecordStore

/// The values that lost against writes whose authors had not seen them. Local to each store, never synchronised; but a
/// store that begins with a snapshot begins with the log of the store that made it. One that takes a snapshot in later
/// has not merged what that holds, and learns of it only what it has lost itself.
///
/// ```swift
/// for conflict in try log.entries() { try log.restore(conflict.id, author: "editor") }
/// ```
///
/// Written in the commit of the merge that decides, so an entry is there exactly when its merge is. A plain
/// handle; every call reads the store. Entries are removed when the store was synchronised on ``retentionDays`` days
/// since, whatever its clock said in between.
public struct ConflictLog: Sendable {
  /// How many days an entry is kept.
  public static let retentionDays = 90

  let store: RecordStore

  /// The log of a store. Nothing is read yet.
  public init(store: RecordStore) { self.store = store }

  /// All entries, oldest first. A loss that shows again since, such as an edit whose record was brought back, is left
  /// out. A large value that is not on this device reads as null; it is restored all the same.
  ///
  /// A value that one save gave to several records of one row, and that all of them lost, is one entry.
  /// Cost: one pass over the log, and a look at the record of each loss that depends on lives and deaths.
  ///
  /// - Throws: what reading the store throws, `StoreError`.
  public func entries() throws -> [Conflict] {
    try store.read { snapshot in
      var told: Set<Loss> = []
      return try ConflictLog.entries(in: snapshot).map(\.entry)
        .filter { told.insert(try Loss($0, in: snapshot)).inserted }.map(\.resolved)
    }
  }

  /// The loss itself, whichever of the records that share a row had it. Each keeps its own entry: they may come apart.
  private struct Loss: Hashable {
    let row: RecordID
    let entity: EntityNumber
    let kind: Conflict.Kind
    let stamp: Stamp
    let fields: [Int: FieldValue]

    init(_ entry: Conflict, in snapshot: borrowing StoreSnapshot) throws {
      row = try snapshot.canonical(entry.record)
      (entity, kind, stamp) = (entry.entity, entry.kind, entry.lostStamp)
      fields = Dictionary(entry.fields.map { ($0.ordinal, $0.lost) }, uniquingKeysWith: { first, _ in first })
    }
  }

  /// The entry of an id.
  ///
  /// - Throws: ``SyncError`` `conflictNotFound`, and what reading the store throws, `StoreError`.
  public func entry(_ id: String) throws -> Conflict {
    try store.read { try ConflictLog.entry(id, in: $0).resolved }
  }

  /// Re-applies what was lost, as a new edit of this replica, and removes the entry, in one commit.
  ///
  /// Lost values are written again; a record that was deleted is inserted again with everything that is known of it,
  /// and so is every deleted record that it cannot be without; a delete that was overridden is done again; a one-to-one
  /// reference takes its target back. Where another record was given a record's unique value since, it stands for it.
  ///
  /// - Throws: ``SyncError``: `conflictNotFound` or `notRestorable`; what the commit throws, `StoreError`. Nothing has
  ///   changed then.
  @discardableResult
  public func restore(_ id: String, author: String? = nil) throws -> SaveResult {
    let (result, _) = try store.commit { snapshot in
      let conflict = try ConflictLog.entry(id, in: snapshot)
      let changes = try ConflictLog.restoration(of: conflict, in: snapshot)
      let loss = try Loss(conflict, in: snapshot)
      let done = try ConflictLog.entries(in: snapshot).filter { try Loss($0.entry, in: snapshot) == loss }
      let attachments = done.map { StoreAttachment(key: $0.key, value: nil) }
      var request = SaveRequest(author: author, changes: changes, attachments: attachments)
      request.holdsReferences = true
      return (request, ())
    }
    return result
  }

  /// Removes entries that have been there for ``retentionDays``, and those whose loss is undone; returns how many.
  ///
  /// Every import calls it. Days count one by one, each when a call finds the clock a day further: a clock that is
  /// years ahead for a while makes nothing old. Writes nothing but on the first call of such a day.
  ///
  /// - Throws: what the commit throws, `StoreError`; then nothing has changed.
  @discardableResult
  public func removeExpired(nowMilliseconds: UInt64) throws -> Int {
    let isDue = try store.read { try !ConflictLog.expiry(nowMilliseconds, in: $0).attachments.isEmpty }
    guard isDue else { return 0 }
    let (_, count) = try store.commit { snapshot in
      let expiry = try ConflictLog.expiry(nowMilliseconds, in: snapshot)
      return (SaveRequest(attachments: expiry.attachments), expiry.count)
    }
    return count
  }

  /// The attachments that bring the log up to date, and how many entries go.
  private static func expiry(
    _ nowMilliseconds: UInt64, in snapshot: borrowing StoreSnapshot
  ) throws -> (attachments: [StoreAttachment], count: Int) {
    let stored = try stored(in: snapshot)
    guard !stored.isEmpty else { return ([], 0) }
    let current = Set(try current(stored, in: snapshot).map(\.key))
    var age = try LogAge(in: snapshot, nowMilliseconds: nowMilliseconds)
    let passed = age.pass(nowMilliseconds, entries: stored)
    // A void delete waits for somebody to say the record again.
    let gone = stored.filter { age.isExpired($0) || !current.contains($0.key) && !$0.isOfVoidDelete }
    let removals = gone.flatMap { [StoreAttachment(key: $0.key, value: nil), age.removal(of: $0)] }
    return (passed + removals, gone.count)
  }

  /// An entry as it is read now, and the key under which the store has it.
  private struct Current {
    let key: [UInt8]
    let entry: Conflict
  }

  private static func entries(in snapshot: borrowing StoreSnapshot) throws -> [Current] {
    try current(losses(among: stored(in: snapshot), in: snapshot), in: snapshot)
  }

  private static func current(_ entries: [Conflict], in snapshot: borrowing StoreSnapshot) throws -> [Current] {
    let standings = try RecordStandings(in: snapshot)
    var found: [Current] = []
    for entry in entries {
      guard let now = try current(entry, standings, in: snapshot) else { continue }
      found.append(Current(key: entry.key, entry: now))
    }
    return found
  }

  /// Without values that the winner has repeated, which the log keeps for the next merge.
  private static func losses(
    among entries: [Conflict], in snapshot: borrowing StoreSnapshot
  ) throws -> [Conflict] {
    var losses: [Conflict] = []
    for var entry in entries {
      let hasFields = !entry.fields.isEmpty
      var fields: [Conflict.Field] = []
      for field in entry.fields where try entry.kind != .editLost || !field.isEqual({ try snapshot.canonical($0) }) {
        fields.append(field)
      }
      entry.fields = fields
      if !hasFields || !fields.isEmpty { losses.append(entry) }
    }
    return losses
  }

  /// The entry, as long as what lost to somebody's life or death is still not to be seen.
  private static func current(
    _ entry: Conflict, _ standings: RecordStandings, in snapshot: borrowing StoreSnapshot
  ) throws -> Conflict? {
    let standing: RecordStanding?
    switch entry.kind {
    case .editLost, .aliasJoined: return entry
    case .editLostToDelete, .deletionOverridden, .referenceLost, .moveVoided:
      standing = try standings.standing(of: entry.record, entity: entry.entity)
    }
    guard !entry.isOfVoidDelete else { return try overridden(entry, standing, in: snapshot) }
    guard try isCurrent(entry, standing, standings, in: snapshot) else { return nil }
    // Merges let activity below a record pass without a look at the record, so its newest is asked for here.
    guard case .alive(let activity?) = standing, entry.kind == .deletionOverridden, activity != entry.winningStamp
    else { return entry }
    // A device that says a record again after a collection knows the delete, and decides nothing: the entry stays.
    guard try !didSee(activity, entry.lostStamp, in: snapshot) else { return entry }
    var now = entry
    now.winningStamp = activity
    return now
  }

  /// A void delete as lost to the newest life of the record, unless the author of that knew it.
  private static func overridden(
    _ entry: Conflict, _ standing: RecordStanding?, in snapshot: borrowing StoreSnapshot
  ) throws -> Conflict? {
    guard case .alive = standing, let life = try snapshot.storedFacts(entry.record, of: entry.entity)?.life,
      try !didSee(life, entry.lostStamp, in: snapshot)
    else { return nil }
    var now = entry
    now.winningStamp = life
    return now
  }

  private static func didSee(
    _ winner: Stamp, _ loser: Stamp, in snapshot: borrowing StoreSnapshot
  ) throws -> Bool {
    let forks = try snapshot.forkedStreams
    var contexts = CausalContexts(unreadOf: try snapshot.replica)
    if !forks.isEmpty {
      contexts = try CausalContexts(in: snapshot)
      contexts.forks = forks
    }
    try contexts.read(of: winner.replica, in: snapshot)
    if winner.replica == contexts.own {
      contexts.note(own: winner, context: try snapshot.historyTransaction(with: winner)?.context)
    }
    return contexts.didSee(winner, loser)
  }

  private static func isCurrent(
    _ entry: Conflict, _ standing: RecordStanding?, _ standings: RecordStandings,
    in snapshot: borrowing StoreSnapshot
  ) throws -> Bool {
    switch (entry.kind, standing) {
    case (.editLostToDelete, .dead), (.editLostToDelete, nil): return true
    case (.editLostToDelete, .waiting):
      return try ForgottenRecords.collection(above: entry.record, entity: entry.entity, standings, in: snapshot) != nil
    case (.deletionOverridden, .alive):
      return try snapshot.storedFacts(entry.record, of: entry.entity)?.deleted == entry.lostStamp
    case (.referenceLost, .alive):
      return try standings.lostReferences(of: entry.record, entity: entry.entity).contains {
        $0.stamp == entry.lostStamp
      }
    case (.moveVoided, .alive):
      return try standings.voidReferences(of: entry.record, entity: entry.entity).contains {
        $0.stamp == entry.lostStamp
      }
    default: return false
    }
  }

  private static func stored(in snapshot: borrowing StoreSnapshot) throws -> [Conflict] {
    var entries: [Conflict] = []
    try snapshot.forEachAttachment(prefix: SyncAttachment.conflicts) { key, value in
      entries.append(try Conflict(key: key, value: value))
      return true
    }
    return entries.sorted { ($0.loggedAtMilliseconds, $0.record) < ($1.loggedAtMilliseconds, $1.record) }
  }

  private static func entry(_ id: String, in snapshot: borrowing StoreSnapshot) throws -> Conflict {
    guard let entry = try entries(in: snapshot).map(\.entry).first(where: { $0.id == id }) else {
      throw SyncError(
        .conflictNotFound, "there is no entry \(id) in the conflict log; list the log for the ids that are there")
    }
    return entry
  }

  private static func restoration(
    of conflict: Conflict, in snapshot: borrowing StoreSnapshot
  ) throws -> [RecordChange] {
    if conflict.kind == .deletionOverridden { return [.delete(entity: conflict.entity, id: conflict.record)] }
    let lost = conflict.fields.map { FieldWrite($0.ordinal, $0.lost) }
    if try snapshot.row(conflict.record, of: conflict.entity) != nil {
      return [.update(entity: conflict.entity, id: conflict.record, fields: lost)]
    }
    guard let facts = try snapshot.storedFacts(conflict.record, of: conflict.entity) else {
      throw notRestorable(conflict)
    }
    let standings = try RecordStandings(in: snapshot)
    if let successor = try standings.successor(of: facts.id, entity: facts.entity) {
      return [.update(entity: conflict.entity, id: successor, fields: lost)]
    }
    // A record comes back with all that it cannot be without.
    guard try standings.unknownAbove(conflict.record, entity: conflict.entity).isEmpty else {
      throw notRestorable(conflict)
    }
    let above = try standings.deadAbove(conflict.record, entity: conflict.entity)
    return try (above + [facts]).map { facts in
      let entity = snapshot.catalogue.entities[facts.entity]
      guard !entity.deleteIsFinal else { throw notRestorable(conflict) }
      var values = Dictionary(facts.registers.map { ($0.ordinal, $0.value) }, uniquingKeysWith: { first, _ in first })
      // A target that another record has by now stays with it.
      for taken in try standings.lostReferences(of: facts.id, entity: facts.entity)
      where entity.fields[taken.ordinal].isOptional {
        values[taken.ordinal] = nil
      }
      if facts.id == conflict.record { for write in lost { values[write.ordinal] = write.value } }
      let successors = try standings.successors(of: facts)
      for case (let ordinal, .reference(let target)) in values {
        if let successor = successors[target] { values[ordinal] = .reference(successor) }
      }
      let fields = values.filter { entity.fields[$0.key].isDeclared }.sorted { $0.key < $1.key }
      return .insert(entity: facts.entity, id: facts.id, fields: fields.map { FieldWrite($0.key, $0.value) })
    }
  }

  private static func notRestorable(_ conflict: Conflict) -> SyncError {
    SyncError(
      .notRestorable,
      "the record of conflict \(conflict.id), or one that it needs, is deleted for good; show the entry and enter its "
        + "values in a new one")
  }
}

extension Conflict {
  /// The entry as apps read it: with the values that lie beside the store in the place of their references.
  fileprivate var resolved: Conflict {
    var resolved = self
    resolved.fields = fields.map { field in
      Field(ordinal: field.ordinal, lost: field.lost.resolved ?? .null, winning: field.winning.resolved ?? .null)
    }
    return resolved
  }
}
