import RecordStore

/// How old the entries of a conflict log are, counted in days on which the store was synchronised and not by one look
/// at a clock: a clock that is wrong for a while, or that jumps, must not make an unread entry old.
///
/// A day counts when the clock has gone on by a day since the last one that counted; a clock that was set back begins
/// a day anew. So many days as ``ConflictLog/retentionDays`` take at least as many runs, whatever the clock says.
struct LogAge: Hashable, Sendable {
  private static let dayMilliseconds: UInt64 = 86_400_000

  /// How many days have counted.
  private(set) var days: UInt32 = 0
  /// When the last one did.
  private var since: UInt64
  /// By an entry's id: the day on which it was first met.
  private var firstMet: [[UInt8]: UInt32] = [:]
  /// Whether nothing was counted here before.
  private let isNew: Bool

  init(in snapshot: borrowing StoreSnapshot, nowMilliseconds: UInt64) throws {
    let stored = try snapshot.attachment(SyncAttachment.logDays)
    (isNew, since) = (stored == nil, nowMilliseconds)
    if let stored {
      var reader = FileReader(stored, subject: "the age of the conflict log")
      days = try reader.integer()
      since = try reader.integer()
    }
    var firstMet: [[UInt8]: UInt32] = [:]
    try snapshot.forEachAttachment(prefix: SyncAttachment.logEntries) { key, value in
      var reader = FileReader(value, subject: "the age of an entry of the conflict log")
      firstMet[Array(key.dropFirst(SyncAttachment.logEntries.count))] = try reader.integer()
      return true
    }
    self.firstMet = firstMet
  }

  func isExpired(_ entry: Conflict) -> Bool {
    guard let day = firstMet[LogAge.name(entry)] else { return false }
    return days &- day >= UInt32(ConflictLog.retentionDays)
  }

  /// Counts the day, if it is a new one; what must be written for it. `entries`: all that the log has.
  mutating func pass(_ nowMilliseconds: UInt64, entries: [Conflict]) -> [StoreAttachment] {
    let isBack = nowMilliseconds < since
    let isDay = !isBack && nowMilliseconds - since >= LogAge.dayMilliseconds
    guard isNew || isBack || isDay else { return [] }
    since = nowMilliseconds
    if isDay { days += 1 }
    var changes = [state]
    let names = Set(entries.map(LogAge.name))
    for name in names where firstMet[name] == nil {
      firstMet[name] = days
      changes.append(mark(name))
    }
    for name in firstMet.keys where !names.contains(name) { changes += [forget(name)] }
    return changes
  }

  /// The attachment that goes with an entry that is removed.
  func removal(of entry: Conflict) -> StoreAttachment { forget(LogAge.name(entry)) }

  private static func name(_ entry: Conflict) -> [UInt8] { Array(ContentHash(of: entry.key).bytes.prefix(8)) }

  private var state: StoreAttachment {
    var writer = FileWriter()
    writer.put(days)
    writer.put(since)
    return StoreAttachment(key: SyncAttachment.logDays, value: writer.bytes)
  }

  private func mark(_ name: [UInt8]) -> StoreAttachment {
    var writer = FileWriter()
    writer.put(firstMet[name] ?? days)
    return StoreAttachment(key: SyncAttachment.logEntries + name, value: writer.bytes)
  }

  private func forget(_ name: [UInt8]) -> StoreAttachment {
    StoreAttachment(key: SyncAttachment.logEntries + name, value: nil)
  }
}
