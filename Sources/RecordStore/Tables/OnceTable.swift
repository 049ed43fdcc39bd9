import LMDB

/// One key of the once ledger, and the transactions that ran it.
package struct OnceEntry: Hashable, Sendable {
  package var key: OnceKey
  /// The stamps of the transactions, rising. More than one when devices ran the key apart.
  package var runs: [Stamp]

  package init(key: OnceKey, runs: [Stamp]) {
    self.key = key
    self.runs = runs
  }
}

/// Table `once`: the permanent ledger of effects that happen once. It outlives the records and their history.
///
/// Key: SHA-256 of the once key. Value: format u8 (1) · CRC-32C u32 of all after it · runs: count, each: stamp (18),
/// rising · the key's text in UTF-8, to the end. A store of an earlier build has no such table until a key is entered.
struct OnceTable {
  private static let format: UInt8 = 1
  private static let bodyOffset = 5

  private let view: TransactionView
  private let database: Database?

  init(_ view: TransactionView, _ layout: StoreLayout) {
    self.view = view
    database = layout.databases.once
  }

  func entry(of key: OnceKey) throws -> OnceEntry? {
    guard let database else { return nil }
    return try view.get(database, key: key.digest).map { try OnceTable.decode($0) }
  }

  var count: Int {
    get throws { try database.map { try view.statistics($0).entries } ?? 0 }
  }

  /// Lends each entry in order of the digest.
  func forEach(_ body: (_ digest: RawBytes, _ value: RawBytes) throws -> Void) throws {
    guard let database else { return }
    try view.forEachKey(in: database, startingWith: []) { try body($0, $1) }
  }

  /// The entry with one run more; nil if it has that one.
  func adding(_ run: Stamp, to key: OnceKey) throws -> OnceEntry? {
    var entry = try entry(of: key) ?? OnceEntry(key: key, runs: [])
    guard !entry.runs.contains(run) else { return nil }
    entry.runs.append(run)
    entry.runs.sort()
    return entry
  }

  static func encode(_ entry: OnceEntry) -> [UInt8] {
    let text = Array(entry.key.text.utf8)
    let count =
      bodyOffset + VariableLength.byteCount(UInt64(entry.runs.count)) + Stamp.byteCount * entry.runs.count + text.count
    return [UInt8](byteCount: count) { writer in
      writer.write(format)
      writer.write(0 as UInt32)
      writer.writeVariable(entry.runs.count)
      for run in entry.runs { writer.write(run) }
      text.withUnsafeBytes { writer.write($0) }
      let written = RawBytes(writer.written)
      writer.patch(written.slice(bodyOffset..<written.count).checksum, at: 1)
    }
  }

  /// Throws `damaged` or `newerFormat`.
  static func decode(_ bytes: RawBytes) throws -> OnceEntry {
    var reader = ByteReader(bytes, subject: "an entry of the once ledger")
    let version = try reader.read(as: UInt8.self)
    guard try reader.read(as: UInt32.self) == bytes.slice(bodyOffset..<bytes.count).checksum else {
      throw reader.damaged("its checksum is wrong")
    }
    guard version == format else {
      throw StoreError(
        .newerFormat, "an entry of the once ledger has format \(version), this build reads \(format): update the app")
    }
    let count = try reader.readCount(minimumSize: Stamp.byteCount)
    var runs: [Stamp] = []
    for _ in 0..<count { runs.append(try reader.readStamp()) }
    let key = try reader.readOnceKey(count: reader.remaining)
    return OnceEntry(key: key, runs: runs)
  }
}

extension OnceEntry {
  /// Enters the key and its runs in the ledger, which is there.
  func join(_ layout: StoreLayout, in transaction: borrowing WriteTransaction) throws {
    guard let table = layout.databases.once else { preconditionFailure("the ledger is made before a key is entered") }
    for run in runs {
      guard let joined = try OnceTable(transaction.view, layout).adding(run, to: key) else { continue }
      try transaction.put(table, key: key.digest, value: OnceTable.encode(joined))
    }
  }
}

extension ByteReader {
  /// A once key as it is written: in NFC form, within its limits.
  mutating func readOnceKey(count: Int) throws -> OnceKey {
    guard count <= OnceKey.maximumByteCount else { throw damaged("a once key is too long") }
    let bytes = try read(count: count).copied()
    do {
      let key = try OnceKey(String(decoding: bytes, as: UTF8.self))
      guard Array(key.text.utf8) == bytes else { throw damaged("a once key is not in its canonical form") }
      return key
    } catch let error as StoreError where error.code == .invalidRequest {
      throw damaged("a once key has no bytes")
    }
  }
}
