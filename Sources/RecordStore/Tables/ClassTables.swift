package import LMDB

/// The tables of alias classes. A store that an earlier build made has none before its first commit by this one.
package struct ClassTables: Sendable {
  /// Records as written, where the row does not say it.
  package let originals: Database
  /// Overwritten values of unique keys.
  package let pastWrites: Database
  /// The former holders of unique values, where no unique index and no entry of `claims` tells.
  package let heldKeys: Database
  /// The contexts of authors, where history does not tell any more.
  package let contexts: Database

  enum Name {
    static let originals = "originals"
    static let pastWrites = "pastwrites"
    static let heldKeys = "heldkeys"
    static let contexts = "contexts"
    static let all = [originals, pastWrites, heldKeys, contexts]
  }

  init?(_ opened: [String: Database]) {
    guard let originals = opened[Name.originals], let pastWrites = opened[Name.pastWrites],
      let heldKeys = opened[Name.heldKeys], let contexts = opened[Name.contexts]
    else { return nil }
    self.originals = originals
    self.pastWrites = pastWrites
    self.heldKeys = heldKeys
    self.contexts = contexts
  }

  var all: [Database] { [originals, pastWrites, heldKeys, contexts] }
}

/// Table `originals`. Entity u32 · canonical id · own id -> the record's bytes as written, references included.
///
/// A record has an entry if it shares its row with others, or if the row spells its references differently. A
/// value of sixteen bytes is of an earlier build: the id was joined for good into the record that it names.
enum OriginalTable {
  enum Entry {
    case record(RecordFacts)
    case folded(into: RecordID)
  }

  static func prefix(_ row: RecordKey) -> [UInt8] { HiddenTable.key(row) }

  static func key(_ row: RecordKey, _ id: RecordID) -> [UInt8] {
    var key = HiddenTable.key(row)
    id.append(to: &key)
    return key
  }

  static func ids(_ key: RawBytes) -> (row: RecordKey, id: RecordID)? {
    guard key.count == 36, let row = HiddenTable.recordKey(key.slice(0..<20)) else { return nil }
    return (row, RecordID(bytes: key, at: 20))
  }

  static func entry(_ value: RawBytes, id: RecordID, _ entity: CatalogueEntity) throws -> Entry {
    if let root = RecordID(bytes: value) { return .folded(into: root) }
    return .record(try RecordFacts(decoding: value, id: id, entity: entity))
  }

  static func value(of facts: RecordFacts, _ entity: CatalogueEntity) throws -> [UInt8] {
    try RecordEncoding(facts, fieldCount: entity.fields.count).bytes()
  }
}

/// Table `pastwrites`. Entity u32 · id · ordinal u16 · stamp (time u64, counter u16, replica u64), most
/// significant bytes first -> type u8 (0: null) · the value's bytes as in a record.
enum PastWriteTable {
  static func key(_ record: RecordKey, _ write: PastWrite) -> [UInt8] {
    var key = HiddenTable.key(record)
    key.append(bigEndian: UInt16(write.ordinal))
    key.append(bigEndian: write.stamp.time)
    key.append(bigEndian: write.stamp.counter)
    key.append(bigEndian: write.stamp.replica.value)
    return key
  }

  static func value(of write: PastWrite) -> [UInt8] { [write.value.type?.rawValue ?? 0] + write.value.encodedBytes }

  static func write(_ key: RawBytes, _ value: RawBytes) throws -> (record: RecordKey, write: PastWrite) {
    guard key.count == 40, let record = HiddenTable.recordKey(key.slice(0..<20)), value.count > 0,
      let content = content(value)
    else {
      throw StoreError(.damaged, "a past value of the store is damaged: restore the store from a copy or by sync")
    }
    let stamp = Stamp(
      time: key.load(at: 22, as: UInt64.self).byteSwapped, counter: key.load(at: 30, as: UInt16.self).byteSwapped,
      replica: ReplicaID(key.load(at: 32, as: UInt64.self).byteSwapped))
    let ordinal = Int(key.load(at: 20, as: UInt16.self).byteSwapped)
    return (record, PastWrite(ordinal: ordinal, stamp: stamp, value: content))
  }

  private static func content(_ value: RawBytes) -> FieldValue? {
    let type = value.load(at: 0, as: UInt8.self)
    if type == 0 { return value.count == 1 ? .null : nil }
    return FieldType(rawValue: type).flatMap { FieldValue(encoded: value.slice(1..<value.count), type: $0) }
  }

  static func writes(of record: RecordKey, in database: Database, _ view: TransactionView) throws -> [PastWrite] {
    var found: [PastWrite] = []
    try view.forEachKey(in: database, startingWith: HiddenTable.key(record)) { key, value in
      found.append(try write(key, value).write)
    }
    return found
  }
}

/// Table `heldkeys`, without values: index u32 · digest of the key (16) · id, and for each reference in the key:
/// index u32 with its highest bit set · id of the reference's target · id. Keys and references as written.
///
/// An entry for every claim that has ended, and for all claims of records that share their row with others.
enum HeldKeyTable {
  static func keyPrefix(_ claim: ClaimKey) -> [UInt8] { ClaimTable.prefix(claim) }

  static func referencePrefix(_ target: RecordID, index: Int) -> [UInt8] {
    var key: [UInt8] = []
    key.reserveCapacity(36)
    key.append(bigEndian: UInt32(index) | 1 << 31)
    target.append(to: &key)
    return key
  }

  static func keys(of facts: RecordFacts, _ past: [PastWrite], isInClass: Bool, _ rules: EntityRules) -> Set<[UInt8]> {
    var keys: Set<[UInt8]> = []
    guard isInClass || !past.isEmpty else { return keys }
    for position in rules.uniquePositions {
      let index = rules.indexes[position].index
      for claim in HeldClaim.all(of: facts, past, index, rules.entity) where isInClass || claim.end != nil {
        keys.insert(ClaimTable.key(claim.key, id: facts.id))
        for target in claim.references {
          var key = referencePrefix(target, index: index.number)
          facts.id.append(to: &key)
          keys.insert(key)
        }
      }
    }
    return keys
  }
}
