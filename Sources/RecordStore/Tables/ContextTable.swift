import LMDB

/// The vector that a replica had seen, from one of its transactions on, beside its own.
package struct CausalContext: Hashable, Sendable {
  package let since: Stamp
  package let context: VersionVector

  package init(since: Stamp, context: VersionVector) {
    self.since = since
    self.context = context
  }

  /// In order of replica and time, without those that say what the one before says.
  static func changes(of contexts: [CausalContext]) -> [CausalContext] {
    var last: CausalContext?
    return contexts.sorted { ($0.since.replica, $0.since) < ($1.since.replica, $1.since) }.filter { entry in
      defer { last = entry }
      return last?.since.replica != entry.since.replica || last?.context != entry.context
    }
  }
}

/// Table `contexts`: what the authors of transactions had seen, where history does not tell: it was trimmed, or
/// the store was made from a dump.
///
/// Replica u64 · stamp time u64 · counter u16, most significant byte first -> a version vector as in a
/// transaction. An entry holds from its stamp to the replica's next entry, for a context changes only when the
/// replica merges.
struct ContextTable {
  private let view: TransactionView
  private let database: Database

  init(_ view: TransactionView, _ database: Database) {
    self.view = view
    self.database = database
  }

  static func key(_ stamp: Stamp) -> [UInt8] {
    var key: [UInt8] = []
    key.append(bigEndian: stamp.replica.value)
    key.append(bigEndian: stamp.time)
    key.append(bigEndian: stamp.counter)
    return key
  }

  static func value(of context: VersionVector) -> [UInt8] {
    [UInt8](byteCount: context.encodedByteCount) { $0.write(context) }
  }

  static func entry(_ key: RawBytes, _ value: RawBytes) throws -> CausalContext {
    var reader = ByteReader(value, subject: "a causal context")
    guard key.count == 18 else { throw reader.damaged("its key is wrong") }
    let since = Stamp(
      time: key.load(at: 8, as: UInt64.self).byteSwapped, counter: key.load(at: 16, as: UInt16.self).byteSwapped,
      replica: ReplicaID(key.load(at: 0, as: UInt64.self).byteSwapped))
    return CausalContext(since: since, context: try reader.readVersionVector())
  }

  /// Keeps the contexts of a history entry that is about to go.
  static func keep(_ entry: HistoryEntry, _ layout: StoreLayout, in transaction: borrowing WriteTransaction) throws {
    guard let tables = layout.databases.classTables else { return }
    for member in entry.transactions {
      let known = try ContextTable(transaction.view, tables.contexts).context(of: member.stamp)
      guard known != member.context else { continue }
      try transaction.put(tables.contexts, key: key(member.stamp), value: value(of: member.context))
    }
  }

  /// The vector that the author of a transaction had seen; nil where nothing is kept of its replica so far back.
  func context(of stamp: Stamp) throws -> VersionVector? {
    var cursor = try view.cursor(database)
    let after = ContextTable.key(stamp) + [0]
    guard let found = try after.withRawBytes({ key throws in try cursor.seek(before: key) }) else { return nil }
    let entry = try ContextTable.entry(found.key, found.value)
    return entry.since.replica == stamp.replica ? entry.context : nil
  }
}
