package import Foundation
package import LMDB

/// One entry of history, whose key is the local number: what readers want to know of a commit. Behind it in the same
/// value stand, for a local save, the facts that other devices need (``OutgoingBytes``).
///
/// ```
/// format u8 (3) · flags u8 (1: merge) · CRC-32C u32 of all but itself · what the store had seen: see ``HistoryHead``
/// committed at f64 (seconds since 2001) · process id i32 · process name
/// transactions: count · each: replica u64, sequence, stamp time u64, counter u16, flags u8 (1 author, 2 once key,
///   4 context left out: what the store had seen of other replicas), [author], [once key], [context]
/// changes: count · each: kind u8 · entity · id 16 · fields: count, ordinals · preserved: count, each: ordinal,
///   type u8, size, payload
/// outgoing: length · bytes of ``TransactionCodec`` (length 0 in a merge)
/// ```
///
/// Entries of earlier builds (format 1, and 2 if a transaction has a once key) lack what the store had seen, and have
/// each context.
package struct HistoryEntry: Hashable, Sendable {
  /// The formats of earlier builds.
  private static let format: UInt8 = 1
  private static let onceFormat: UInt8 = 2
  static let mergeFlag: UInt8 = 1
  static let authorFlag: UInt8 = 1
  static let onceFlag: UInt8 = 2
  static let derivedContextFlag: UInt8 = 4
  private static let checksumOffset = 2
  static let bodyOffset = 6

  /// Everything that the store had seen with this entry; nil in one of an earlier build.
  package var seen: VersionVector?
  package var isMerge: Bool
  package var committedAt: Date
  package var processIdentifier: Int32
  package var processName: String
  /// One for a local save; those merged, rising, for a merge.
  package var transactions: [TransactionOrigin]
  package var changes: [HistoryChange]

  package init(
    isMerge: Bool, committedAt: Date, processIdentifier: Int32, processName: String,
    transactions: [TransactionOrigin], changes: [HistoryChange], seen: VersionVector? = nil
  ) {
    self.seen = seen
    self.isMerge = isMerge
    self.committedAt = committedAt
    self.processIdentifier = processIdentifier
    self.processName = processName
    self.transactions = transactions
    self.changes = changes
  }

  /// The entry as readers get it, named after one of its transactions: the last unless told.
  package func transaction(number: UInt64, named stamp: Stamp? = nil) -> HistoryTransaction? {
    let named = stamp == nil ? transactions.last : transactions.first { $0.stamp == stamp }
    guard let named else { return nil }
    return HistoryTransaction(
      number: number, dot: named.dot, stamp: named.stamp, author: named.author, processName: processName,
      processIdentifier: processIdentifier, committedAt: committedAt, isMerge: isMerge, context: named.context,
      once: named.once, changes: changes)
  }
}

extension HistoryEntry {
  package func encoded(with outgoing: OutgoingBytes) -> [UInt8] {
    var outgoing = outgoing
    return [UInt8](byteCount: encodedByteCount(with: outgoing)) { write(to: &$0, draining: &outgoing) }
  }

  /// Writes exactly ``encodedByteCount(with:)`` bytes, as the first of the writer.
  func write(to writer: inout ByteWriter, draining outgoing: inout OutgoingBytes) {
    writer.write(format)
    writer.write(isMerge ? HistoryEntry.mergeFlag : 0)
    writer.write(0 as UInt32)
    if let seen { HistoryHead.write(seen, to: &writer) }
    writer.write(committedAt.timeIntervalSinceReferenceDate.bitPattern)
    writer.write(processIdentifier)
    writer.writeText(processName)
    writer.writeVariable(transactions.count)
    for transaction in transactions { write(transaction, to: &writer) }
    writer.writeVariable(changes.count)
    // By their places, for an element copied counts references of its arrays.
    for index in changes.indices { HistoryEntry.write(changes, index, to: &writer) }
    writer.writeVariable(outgoing.count)
    outgoing.drain(into: &writer)
    writer.patch(HistoryEntry.checksum(RawBytes(writer.written)), at: HistoryEntry.checksumOffset)
  }

  private var format: UInt8 {
    if seen != nil { return HistoryHead.format }
    return transactions.contains { $0.once != nil } ? HistoryEntry.onceFormat : HistoryEntry.format
  }

  /// Whether a transaction's context follows from what the store had seen with it, as that of a local save does.
  private func isContextDerived(of transaction: TransactionOrigin) -> Bool {
    seen?.consists(of: transaction.context, and: transaction.dot.replica) ?? false
  }

  func encodedByteCount(with outgoing: OutgoingBytes) -> Int {
    var count = HistoryEntry.bodyOffset + 8 + 4 + HistoryEntry.byteCount(of: processName)
    if let seen { count += HistoryHead.byteCount(of: seen) }
    count += VariableLength.byteCount(UInt64(transactions.count))
    for transaction in transactions {
      count += 8 + VariableLength.byteCount(transaction.dot.sequence) + 10 + 1
      count += transaction.author.map(HistoryEntry.byteCount) ?? 0
      count += transaction.once.map { HistoryEntry.byteCount(of: $0.text) } ?? 0
      if !isContextDerived(of: transaction) { count += transaction.context.encodedByteCount }
    }
    count += VariableLength.byteCount(UInt64(changes.count))
    for index in changes.indices { count += HistoryEntry.byteCount(of: changes, index) }
    return count + VariableLength.byteCount(UInt64(outgoing.count)) + outgoing.count
  }

  private static func byteCount(of text: String) -> Int {
    VariableLength.byteCount(UInt64(text.utf8.count)) + text.utf8.count
  }

  private static func byteCount(of changes: [HistoryChange], _ index: Int) -> Int {
    let head = 1 + VariableLength.byteCount(UInt64(changes[index].entity)) + RecordID.byteCount
    // As nearly all inserts and deletes.
    if changes[index].fields.isEmpty, changes[index].preserved.isEmpty { return head + 2 }
    let change = changes[index]
    var count = head
    count += VariableLength.byteCount(UInt64(change.fields.count))
    for ordinal in change.fields { count += VariableLength.byteCount(UInt64(ordinal)) }
    count += VariableLength.byteCount(UInt64(change.preserved.count))
    for write in change.preserved {
      let size = write.value.encodedByteCount
      count += VariableLength.byteCount(UInt64(write.ordinal)) + 1 + VariableLength.byteCount(UInt64(size)) + size
    }
    return count
  }

  private func write(_ transaction: TransactionOrigin, to writer: inout ByteWriter) {
    let isDerived = isContextDerived(of: transaction)
    writer.write(transaction.dot.replica.value)
    writer.writeVariable(transaction.dot.sequence)
    writer.write(transaction.stamp.time)
    writer.write(transaction.stamp.counter)
    writer.write(
      (transaction.author == nil ? 0 : HistoryEntry.authorFlag)
        | (transaction.once == nil ? 0 : HistoryEntry.onceFlag) | (isDerived ? HistoryEntry.derivedContextFlag : 0))
    if let author = transaction.author { writer.writeText(author) }
    if let key = transaction.once { writer.writeText(key.text) }
    if !isDerived { writer.write(transaction.context) }
  }

  private static func write(_ changes: [HistoryChange], _ index: Int, to writer: inout ByteWriter) {
    writer.write(changes[index].kind.rawValue)
    writer.writeVariable(changes[index].entity)
    writer.write(changes[index].id)
    if changes[index].fields.isEmpty, changes[index].preserved.isEmpty { return writer.write(0 as UInt16) }
    let change = changes[index]
    writer.writeVariable(change.fields.count)
    for ordinal in change.fields { writer.writeVariable(ordinal) }
    writer.writeVariable(change.preserved.count)
    for write in change.preserved {
      writer.writeVariable(write.ordinal)
      writer.write(write.value.type?.rawValue ?? 0)
      writer.writeVariable(write.value.encodedByteCount)
      writer.write(write.value)
    }
  }

  fileprivate static func checksum(_ bytes: RawBytes) -> UInt32 {
    bytes.slice(bodyOffset..<bytes.count).checksum(after: bytes.slice(0..<checksumOffset).checksum)
  }
}

extension HistoryEntry {
  /// Throws `damaged` or `newerFormat`.
  package init(decoding bytes: RawBytes) throws {
    var reader: ByteReader
    (self, reader) = try HistoryEntry.read(bytes)
    _ = try HistoryEntry.readOutgoing(from: &reader)
  }

  /// An entry, and a reader that stands behind it.
  private static func read(_ bytes: RawBytes) throws -> (HistoryEntry, ByteReader) {
    var (reader, version, flags) = try begin(bytes)
    let isMerge = flags & HistoryEntry.mergeFlag != 0
    let seen = version == HistoryHead.format ? try HistoryHead.read(from: &reader) : nil
    let committedAt = Date(timeIntervalSinceReferenceDate: Double(bitPattern: try reader.read()))
    let processIdentifier: Int32 = try reader.read()
    let processName = try reader.readText()
    var transactions: [TransactionOrigin] = []
    for _ in 0..<(try reader.readCount(minimumSize: 20)) {
      transactions.append(try readTransaction(from: &reader, seen: seen))
    }
    var changes: [HistoryChange] = []
    try forEachChange(in: &reader) { changes.append($0) }
    let entry = HistoryEntry(
      isMerge: isMerge, committedAt: committedAt, processIdentifier: processIdentifier, processName: processName,
      transactions: transactions, changes: changes, seen: seen)
    return (entry, reader)
  }

  /// Calls `body` with each change of an entry, and reads nothing else of it: what contexts ask of each commit of
  /// others. Throws as ``init(decoding:)`` does.
  package static func forEachChange(of bytes: RawBytes, _ body: (HistoryChange) throws -> Void) throws {
    var (reader, version, _) = try begin(bytes)
    guard version == HistoryHead.format else { return try HistoryEntry(decoding: bytes).changes.forEach(body) }
    try HistoryHead.skip(in: &reader)
    try reader.skipTransactions()
    try forEachChange(in: &reader, body)
  }

  /// The word of an entry for other devices, and nothing else of it. Throws as ``init(decoding:)`` does.
  static func outgoing(of bytes: RawBytes) throws -> [UInt8] {
    var (reader, version, _) = try begin(bytes)
    if version == HistoryHead.format {
      try HistoryHead.skip(in: &reader)
      try reader.skipTransactions()
      for _ in 0..<(try reader.readCount(minimumSize: 20)) { try skipChange(in: &reader) }
    } else {
      reader = try read(bytes).1
    }
    return try readOutgoing(from: &reader).copied()
  }

  /// The last part of an entry.
  private static func readOutgoing(from reader: inout ByteReader) throws -> RawBytes {
    let length = try reader.readCount()
    let outgoing = try reader.read(count: length)
    guard reader.isAtEnd else { throw reader.damaged("something follows its end") }
    return outgoing
  }

  /// A reader behind the first bytes of an entry that is whole.
  private static func begin(_ bytes: RawBytes) throws -> (reader: ByteReader, version: UInt8, flags: UInt8) {
    var reader = ByteReader(bytes, subject: "a history entry")
    let version = try reader.read(as: UInt8.self)
    let flags = try reader.read(as: UInt8.self)
    guard try reader.read(as: UInt32.self) == checksum(bytes) else { throw reader.damaged("its checksum is wrong") }
    guard (format...HistoryHead.format).contains(version) else {
      throw StoreError(
        .newerFormat,
        "a history entry has format \(version), this build reads up to \(HistoryHead.format): update the app")
    }
    return (reader, version, flags)
  }

  private static func forEachChange(
    in reader: inout ByteReader, _ body: (HistoryChange) throws -> Void
  ) throws {
    for _ in 0..<(try reader.readCount(minimumSize: 20)) { try body(try readChange(from: &reader)) }
  }

  private static func readTransaction(
    from reader: inout ByteReader, seen: VersionVector?
  ) throws -> TransactionOrigin {
    let replica = ReplicaID(try reader.read())
    let dot = Dot(replica: replica, sequence: try reader.readVariable())
    let stamp = Stamp(time: try reader.read(), counter: try reader.read(), replica: replica)
    let flags = try reader.read(as: UInt8.self)
    let known = authorFlag | onceFlag | (seen == nil ? 0 : derivedContextFlag)
    guard flags & ~known == 0 else { throw reader.damaged("it has unknown flags") }
    let author = flags & authorFlag == 0 ? nil : try reader.readText()
    let once = flags & onceFlag == 0 ? nil : try reader.readOnceKey(count: try reader.readCount())
    let derived = flags & derivedContextFlag == 0 ? nil : seen?.without(replica)
    return TransactionOrigin(
      dot: dot, stamp: stamp, author: author, context: try derived ?? reader.readVersionVector(), once: once)
  }

  private static func readChange(from reader: inout ByteReader) throws -> HistoryChange {
    guard let kind = HistoryChange.Kind(rawValue: try reader.read()) else {
      throw reader.damaged("it has an unknown kind of change")
    }
    var change = HistoryChange(kind: kind, entity: try reader.readNumber(), id: try reader.readID())
    for _ in 0..<(try reader.readCount()) { change.fields.append(try reader.readNumber()) }
    for _ in 0..<(try reader.readCount(minimumSize: 3)) {
      let ordinal = try reader.readNumber()
      let type = FieldType(rawValue: try reader.read())
      let payload = try reader.read(count: try reader.readNumber())
      guard let type else {
        change.preserved.append(FieldWrite(ordinal, .null))
        continue
      }
      guard let value = FieldValue(encoded: payload, type: type) else {
        throw reader.damaged("a preserved value does not have its type")
      }
      change.preserved.append(FieldWrite(ordinal, value))
    }
    return change
  }

  private static func skipChange(in reader: inout ByteReader) throws {
    _ = try reader.read(as: UInt8.self)
    _ = try reader.readVariable()
    _ = try reader.read(count: RecordID.byteCount)
    for _ in 0..<(try reader.readCount()) { _ = try reader.readVariable() }
    for _ in 0..<(try reader.readCount(minimumSize: 3)) {
      _ = try reader.readVariable()
      _ = try reader.read(as: UInt8.self)
      _ = try reader.read(count: try reader.readNumber())
    }
  }
}
