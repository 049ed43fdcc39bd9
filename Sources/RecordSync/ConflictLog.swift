public import RecordStore

/// The values that lost against writes whose authors had not seen them. Local to each store, never synchronised.
///
/// Written in the commit of the merge that decides, so an entry is there exactly when its merge is. A plain
/// handle; every call reads the store. Entries are removed after ``retentionDays``, at the next import.
public struct ConflictLog: Sendable {
  public static let retentionDays = 90

  private let store: RecordStore

  public init(store: RecordStore) { self.store = store }

  /// All entries, oldest first. Cost: one pass over the log.
  public func entries() throws -> [Conflict] {
    try store.read { try ConflictLog.entries(in: $0) }
  }

  /// The entry of an id. Throws `conflictNotFound`.
  public func entry(_ id: String) throws -> Conflict {
    try store.read { try ConflictLog.entry(id, in: $0) }
  }

  /// Re-applies what was lost, as a new edit of this replica, and removes the entry, in one commit.
  ///
  /// Lost values are written again; a record that was deleted is inserted again with everything that is known of
  /// it; a delete that was overridden is done again. Throws `conflictNotFound`, `notRestorable`, or what the
  /// commit throws; then nothing has changed.
  @discardableResult
  public func restore(_ id: String, author: String? = nil) throws -> SaveResult {
    let (result, _) = try store.commit { snapshot in
      let conflict = try ConflictLog.entry(id, in: snapshot)
      let change = try ConflictLog.restoration(of: conflict, in: snapshot)
      let request = SaveRequest(
        author: author, changes: [change], attachments: [SaveRequest.Attachment(key: conflict.key, value: nil)])
      return (request, ())
    }
    return result
  }

  /// Removes entries older than ``retentionDays``; returns how many.
  @discardableResult
  public func removeExpired(nowMilliseconds: UInt64) throws -> Int {
    let age = UInt64(ConflictLog.retentionDays) * 86_400_000
    let expired = try entries().filter { $0.loggedAtMilliseconds + age < nowMilliseconds }
    guard !expired.isEmpty else { return 0 }
    let request = SaveRequest(attachments: expired.map { SaveRequest.Attachment(key: $0.key, value: nil) })
    _ = try store.commit(request)
    return expired.count
  }

  private static func entries(in snapshot: borrowing StoreSnapshot) throws -> [Conflict] {
    var entries: [Conflict] = []
    try snapshot.forEachAttachment(prefix: SyncAttachment.conflicts) { key, value in
      entries.append(try Conflict(key: key, value: value))
      return true
    }
    return entries.sorted { ($0.loggedAtMilliseconds, $0.record) < ($1.loggedAtMilliseconds, $1.record) }
  }

  private static func entry(_ id: String, in snapshot: borrowing StoreSnapshot) throws -> Conflict {
    guard let entry = try entries(in: snapshot).first(where: { $0.id == id }) else {
      throw SyncError(
        .conflictNotFound, "there is no entry \(id) in the conflict log; list the log for the ids that are there")
    }
    return entry
  }

  private static func restoration(
    of conflict: Conflict, in snapshot: borrowing StoreSnapshot
  ) throws -> RecordChange {
    if conflict.kind == .deletionOverridden { return .delete(entity: conflict.entity, id: conflict.record) }
    let lost = conflict.fields.map { FieldWrite($0.ordinal, $0.lost) }
    if try snapshot.record(conflict.record, of: conflict.entity) != nil {
      return .update(entity: conflict.entity, id: conflict.record, fields: lost)
    }
    guard !snapshot.catalogue.entities[conflict.entity].deleteIsFinal,
      let facts = try snapshot.facts(conflict.record, of: conflict.entity)
    else {
      throw SyncError(
        .notRestorable,
        "the record of conflict \(conflict.id) is deleted for good; show the entry and enter its values in a new one")
    }
    var values: [Int: FieldValue] = [:]
    for register in facts.registers { values[register.ordinal] = register.value }
    for write in lost { values[write.ordinal] = write.value }
    return .insert(
      entity: conflict.entity, id: conflict.record,
      fields: values.sorted { $0.key < $1.key }.map { FieldWrite($0.key, $0.value) })
  }
}
