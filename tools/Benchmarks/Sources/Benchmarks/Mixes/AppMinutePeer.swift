import CPeers
import Foundation
import GRDB
import Synchronization

/// The same minute with GRDB: a pool, Codable records, an observation of the list, and SQLite's session extension for
/// what goes out and what comes. The file of the outgoing change set is flushed, as ours is: once the session has
/// ended, nothing else knows the changes.
struct AppMinutePeer {
  let bench: Workbench
  let data: Dataset

  private static let app = "minute"
  private static let other = "minute-other"

  func fill() throws {
    for name in [Self.app, Self.other] {
      let store = try PeerStore(bench.folder, name)
      try store.insertByStatement(data.subscriptions[...])
      try store.pool.close()
    }
  }

  func minute(_ work: MinuteWork) throws -> Double {
    let incoming = bench.folder.appending(path: "minute-incoming.changes")
    try changes(of: work).write(to: incoming)
    let start = Stopwatch.now()
    let pool = try PeerStore(bench.folder, Self.app, makesTables: false).pool
    let session = try pool.writeWithoutTransaction { try Self.session($0) }
    let list = DueList(pool)
    try fetch(work, pool)
    try save(work, pool, list)
    try send(session, pool)
    try receive(incoming, pool)
    try list.waitUntilFirst(is: work.foreignNew.last?.id)
    let seconds = Double(Stopwatch.now() - start) / 1e9
    list.end()
    try pool.close()
    return seconds
  }

  private func fetch(_ work: MinuteWork, _ pool: DatabasePool) throws {
    for row in work.looked {
      let found = try pool.read { try SubscriptionRecord.fetchOne($0, key: row.id) }
      try ReadComparisons.expect(found?.name == row.name)
    }
    for day in work.days {
      let request =
        SubscriptionRecord
        .filter(Column("category") == MinuteWork.dueCategory.rawValue)
        .filter(Column("nextBillingDate") >= day.timeIntervalSinceReferenceDate)
        .order(Column("nextBillingDate")).limit(100)
      let found = try pool.read { try request.fetchAll($0) }
      try ReadComparisons.expect(found.allSatisfy { $0.nextBillingDate >= day })
    }
  }

  private func save(_ work: MinuteWork, _ pool: DatabasePool, _ list: DueList) throws {
    for row in work.entered {
      try pool.write { try SubscriptionRecord(row).insert($0) }
      try list.waitUntilFirst(is: row.id)
    }
    for row in work.edited {
      guard var record = try pool.read({ try SubscriptionRecord.fetchOne($0, key: row.id) }) else {
        throw BenchmarkError("a record of an app's minute is not there")
      }
      record.amount += 1
      try pool.write { [record] in try record.update($0, columns: ["amount"]) }
    }
  }

  /// What this app has changed.
  private func send(_ session: OpaquePointer, _ pool: DatabasePool) throws {
    var changes = sqlite_changes()
    defer { sqlite_changes_free(&changes) }
    let code = pool.writeWithoutTransaction { _ in sqlite_session_end(session, &changes) }
    guard code == 0 else { throw BenchmarkError("SQLite makes no change set") }
    let file = bench.folder.appending(path: "minute-outgoing.changes")
    try Self.data(changes).write(to: file)
    let handle = try FileHandle(forWritingTo: file)
    try handle.synchronize()
    try handle.close()
  }

  private func receive(_ file: URL, _ pool: DatabasePool) throws {
    let changes = [UInt8](try Data(contentsOf: file))
    try pool.write { database in
      guard let connection = database.sqliteConnection else { throw BenchmarkError("SQLite has no connection") }
      try ReadComparisons.expect(sqlite_session_apply_within(connection, changes, Int32(changes.count)) == 0)
      // The extension writes past what observations listen to.
      try database.notifyChanges(in: SubscriptionRecord.all())
    }
  }

  private static func session(_ database: Database) throws -> OpaquePointer {
    guard let connection = database.sqliteConnection, let session = sqlite_session_begin(connection) else {
      throw BenchmarkError("SQLite has no session")
    }
    return session
  }

  private static func data(_ changes: sqlite_changes) -> Data {
    changes.data.map { Data(bytes: $0, count: Int(changes.bytes)) } ?? Data()
  }
}

// The other device.
extension AppMinutePeer {
  private func changes(of work: MinuteWork) throws -> Data {
    var changes = sqlite_changes()
    defer { sqlite_changes_free(&changes) }
    let statements =
      work.foreignNew.map { "INSERT INTO subscription VALUES (\(Self.literals($0)));" }
      + work.foreignEdited.map { "UPDATE subscription SET amount = amount + 1 WHERE id = \(Self.literal($0.id));" }
    let path = bench.folder.appending(path: Self.other + ".sqlite").path
    let sql = "BEGIN; " + statements.joined(separator: " ") + " COMMIT;"
    guard sqlite_session_export(path, sql, &changes) >= 0 else { throw BenchmarkError("SQLite makes no change set") }
    return Self.data(changes)
  }

  /// A row in the order of the columns, as SQL writes it.
  private static func literals(_ row: SubscriptionRow) -> String {
    [
      literal(row.id), "'\(row.name)'", "\(row.amount)", "'\(row.frequency.rawValue)'",
      "\(row.nextBillingDate.timeIntervalSinceReferenceDate)", "'\(row.category.rawValue)'",
      "\(row.createdAt.timeIntervalSinceReferenceDate)", "'\(row.notes)'",
    ].joined(separator: ", ")
  }

  private static func literal(_ id: UUID) -> String {
    "x'" + id.uuidString.replacing("-", with: "") + "'"
  }
}

/// The list of what is due, as GRDB observes it.
private final class DueList: Sendable {
  private let first = Mutex<UUID?>(nil)
  private let news = DispatchSemaphore(value: 0)
  private let failure = FailureBox()
  private let observation = Mutex<AnyDatabaseCancellable?>(nil)

  init(_ pool: DatabasePool) {
    let due = ValueObservation.trackingConstantRegion { database in
      try SubscriptionRecord.filter(Column("category") == MinuteWork.dueCategory.rawValue)
        .order(Column("nextBillingDate")).limit(MinuteWork.dueCount).fetchAll(database)
    }
    let started = due.start(
      in: pool, scheduling: .async(onQueue: DispatchQueue(label: "due"))
    ) { [self] error in
      failure.note(error)
      news.signal()
    } onChange: { [self] records in
      first.withLock { $0 = records.first?.id }
      news.signal()
    }
    observation.withLock { $0 = started }
  }

  func waitUntilFirst(is id: UUID?) throws {
    while first.withLock({ $0 }) != id {
      guard news.wait(timeout: .now() + 30) == .success else {
        throw BenchmarkError("GRDB's observation does not show what was saved")
      }
      try failure.rethrow()
    }
  }

  func end() { observation.withLock { $0 = nil } }
}
