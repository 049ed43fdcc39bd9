import RecordStore

/// The values that changed fields had before and after, in a row of transactions.
///
/// History keeps both where the store was told to, and for edits of the page. Of other changes more can be known, and
/// nothing is guessed:
///
/// 1. A record says when each of its fields was last written. Where that is the change's own time, what the field
///    became is what it is.
/// 2. A change was preceded by what the field became in the change before, and followed by what it was before the
///    change after, if history kept that, and has every transaction between the two.
///
/// Of relationships only what history kept is told: they read as empty while the other record is deleted.
struct ChangedValues {
  struct Pair {
    /// Nil: not known.
    var old: FieldValue?
    var new: FieldValue?
  }

  private struct Place: Hashable {
    let entity: EntityNumber
    let id: RecordID
    let field: Int
  }

  private struct Change {
    let transaction: UInt64
    let place: Place
  }

  private var known: [UInt64: [Place: Pair]] = [:]

  /// - Parameter transactions: By rising numbers.
  init(of transactions: [HistoryTransaction], in snapshot: borrowing StoreSnapshot) throws {
    var lastOf: [Place: Change] = [:]
    /// How many transactions are missing before each one, so that two of the same count have none missing between.
    var gaps: UInt64 = 0
    var gapsAt: [UInt64: UInt64] = [:]
    var previous = transactions.first?.number ?? 0
    for transaction in transactions {
      gaps += transaction.number - min(transaction.number, previous + 1)
      previous = transaction.number
      gapsAt[transaction.number] = gaps
      for change in transaction.changes where change.kind != .delete {
        try note(change, of: transaction, in: snapshot)
        for field in change.fields {
          let place = Place(entity: change.entity, id: change.id, field: field)
          let this = Change(transaction: transaction.number, place: place)
          if let last = lastOf[place], gapsAt[last.transaction] == gaps { join(last, this) }
          lastOf[place] = this
        }
      }
    }
  }

  /// The values of one field in a change of a transaction, as far as they are known; nil: nothing is.
  func pair(_ field: Int, of change: HistoryChange, in transaction: HistoryTransaction) -> Pair? {
    known[transaction.number]?[Place(entity: change.entity, id: change.id, field: field)]
  }

  private mutating func note(
    _ change: HistoryChange, of transaction: HistoryTransaction, in snapshot: borrowing StoreSnapshot
  ) throws {
    guard change.kind == .update, snapshot.catalogue.entities.indices.contains(change.entity) else { return }
    let entity = snapshot.catalogue.entities[change.entity]
    let (old, new) = (change.oldValues, change.newValues)
    let record = new == nil ? try snapshot.image(change.id, of: change.entity) : nil
    for (index, field) in change.fields.enumerated() where entity.fields.indices.contains(field) {
      var pair = Pair(old: old?[index].value, new: new?[index].value)
      let isRelationship = entity.fields[field].type == .reference
      if isRelationship, new == nil { continue }
      if let record, record.withView({ $0.stamp(at: field) }) == transaction.stamp,
        !record.isMissing(entity.fields[field])
      {
        pair.new = record.value(of: entity.fields[field])
      }
      known[transaction.number, default: [:]][
        Place(entity: change.entity, id: change.id, field: field)] = pair
    }
  }

  private mutating func join(_ before: Change, _ after: Change) {
    let place = after.place
    let (left, right) = (known[before.transaction]?[place], known[after.transaction]?[place])
    if right?.old == nil, let value = left?.new { known[after.transaction]?[place]?.old = value }
    if left?.new == nil, let value = right?.old { known[before.transaction]?[place]?.new = value }
  }
}
