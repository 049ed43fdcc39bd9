public import Foundation
public import RecordStore

/// An entry of the conflict log with everything that people ask about it: names in place of numbers, and for each side
/// the author, the device and the time.
///
/// ```swift
/// func name(of side: ConflictDetails.Side) -> String { side.isOwn ? "this device" : side.deviceName ?? "another" }
/// let losses: [ConflictDetails] = try log.details(matching: .init(entityName: "Expense"))
/// for loss in losses {
///   print("\(loss.fieldNames) by \(name(of: loss.loser)), \(name(of: loss.winner)) won at \(loss.winner.date)")
/// }
/// ```
public struct ConflictDetails: Hashable, Sendable {
  /// One of the two transactions.
  public struct Side: Hashable, Sendable {
    /// The device's replica id.
    public var replica: ReplicaID
    /// Whether this device wrote it.
    public var isOwn: Bool
    /// How the device calls itself; nil if it has no name.
    public var deviceName: String?
    /// The author of the save, as the app named it.
    public var author: String?
    /// By the clock of the device that wrote.
    public var date: Date
  }

  /// The entry itself.
  public var conflict: Conflict
  /// The name of the record's entity, or of a many-to-many link, such as `Tag.notes`.
  public var entityName: String
  /// Whether a link of a many-to-many relationship is concerned, and not a record of the app's.
  public var isLink: Bool
  /// In the order of ``Conflict/fields``.
  public var fieldNames: [String]
  /// The transaction that lost.
  public var loser: Side
  /// The transaction that won.
  public var winner: Side
}

extension ConflictLog {
  /// The conditions of one query; nil admits everything.
  public struct Filter: Hashable, Sendable {
    /// The entity's name; that of a link is as in ``ConflictDetails/entityName``.
    public var entityName: String?
    /// By any of the ids that a record has had.
    public var record: RecordID?
    /// The reasons of the loss.
    public var kinds: Set<Conflict.Kind>?
    /// When this store noticed, by its wall clock.
    public var since: Date?
    /// The end of the time in which this store noticed, by its wall clock; both ends belong to it.
    public var until: Date?

    /// A filter; without arguments it admits everything.
    public init(
      entityName: String? = nil, record: RecordID? = nil, kinds: Set<Conflict.Kind>? = nil, since: Date? = nil,
      until: Date? = nil
    ) {
      self.entityName = entityName
      self.record = record
      self.kinds = kinds
      self.since = since
      self.until = until
    }
  }

  /// The entries that `filter` admits, oldest first, with names and sides. Cost: that of ``entries()``, and two
  /// look-ups in history an entry.
  ///
  /// - Throws: what reading the store throws, `StoreError`.
  public func details(matching filter: Filter = Filter()) throws -> [ConflictDetails] {
    let entries = try entries()
    return try store.read { snapshot in
      let names = try DeviceNames(in: snapshot)
      let record = try filter.record.map { try snapshot.canonical($0) }
      return try entries.filter { entry in
        try filter.admits(entry, snapshot.catalogue)
          && (record == nil || record == snapshot.canonical(entry.record))
      }.map { try ConflictLog.details(of: $0, names, in: snapshot) }
    }
  }

  /// The entry of an id, with names and sides.
  ///
  /// - Throws: ``SyncError`` `conflictNotFound`, and what reading the store throws, `StoreError`.
  public func details(of id: String) throws -> ConflictDetails {
    let entry = try entry(id)
    return try store.read { try ConflictLog.details(of: entry, DeviceNames(in: $0), in: $0) }
  }

  private static func details(
    of conflict: Conflict, _ names: DeviceNames, in snapshot: borrowing StoreSnapshot
  ) throws -> ConflictDetails {
    let entity = snapshot.catalogue.entities[conflict.entity]
    return ConflictDetails(
      conflict: conflict, entityName: entity.isJoin ? String(entity.name.dropFirst()) : entity.name,
      isLink: entity.isJoin, fieldNames: conflict.fields.map { entity.fields[$0.ordinal].name },
      loser: try side(conflict.lostStamp, names, in: snapshot),
      winner: try side(conflict.winningStamp, names, in: snapshot))
  }

  private static func side(
    _ stamp: Stamp, _ names: DeviceNames, in snapshot: borrowing StoreSnapshot
  ) throws -> ConflictDetails.Side {
    ConflictDetails.Side(
      replica: stamp.replica, isOwn: stamp.replica == (try snapshot.replica), deviceName: names[stamp.replica],
      author: try snapshot.historyTransaction(with: stamp)?.author,
      date: Date(timeIntervalSince1970: Double(stamp.wallMilliseconds) / 1000))
  }
}

extension ConflictLog.Filter {
  fileprivate func admits(_ entry: Conflict, _ catalogue: Catalogue) -> Bool {
    let entity = catalogue.entities[entry.entity]
    let logged = Date(timeIntervalSince1970: Double(entry.loggedAtMilliseconds) / 1000)
    return (entityName == nil || entity.name == entityName || entity.isJoin && entity.name == "~" + (entityName ?? ""))
      && kinds?.contains(entry.kind) ?? true && since.map { logged >= $0 } ?? true && until.map { logged <= $0 } ?? true
  }
}
