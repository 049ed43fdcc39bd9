import LMDB

/// A transaction as it arrived from another device: checked from end to end, its records still where they lie in its
/// bytes. Of those at which no rule looks a merge never makes values; see ``ArrivalIntake``.
package struct EncodedTransaction: Hashable, Sendable {
  /// Everything but the records.
  package private(set) var head: TransactionFacts
  /// As ``TransactionCodec`` wrote them.
  package private(set) var bytes: [UInt8]
  /// Where each record begins.
  private(set) var recordOffsets: [Int]
  /// Whether a payload that looks like a reference to a file is one: the author has not put the values in their places.
  package let holdsReferences: Bool
  /// The large values that it names, where they may be named.
  package private(set) var references: Set<NamedValue> = []

  /// A large value, and the field that names it, in the numbers of the author's catalogue.
  package struct NamedValue: Hashable, Sendable {
    package let entity: EntityNumber
    package let ordinal: Int
    package let reference: ExternalReference
  }

  package var recordCount: Int { recordOffsets.count }

  /// Throws what ``TransactionCodec/decode(_:fieldType:)`` throws. Cost: the checksum and one pass over the bytes.
  package init(
    _ bytes: [UInt8], holdsReferences: Bool = false, fieldType: (EntityNumber, Int) throws -> FieldType
  ) throws {
    self.bytes = bytes
    self.holdsReferences = holdsReferences
    var references: Set<NamedValue> = []
    (head, recordOffsets) = try bytes.withRawBytes { (bytes) throws in
      var (head, reader, count) = try TransactionCodec.readHead(of: bytes)
      var offsets: [Int] = []
      offsets.reserveCapacity(count)
      for _ in 0..<count {
        offsets.append(reader.offset)
        let record = try EncodedRecord(from: &reader)
        guard record.flags <= (head.once == nil ? 7 : 15) else { throw reader.damaged("it has unknown flags") }
        try reader.checkRegisters(of: record, fieldType: fieldType) { ordinal, payload in
          guard holdsReferences, ExternalReference.isOne(payload) else { return true }
          guard let reference = ExternalReference(payload: payload) else { return false }
          references.insert(NamedValue(entity: record.entity, ordinal: ordinal, reference: reference))
          return true
        }
      }
      guard reader.isAtEnd else { throw reader.damaged("something follows its end") }
      head.records = []
      return (head, offsets)
    }
    self.references = references
  }

  /// The same transaction as one of a forked stream's branch: the branch has its own number for it, and the records
  /// keep the stream's stamps.
  package func asBranch(_ dot: Dot, of stream: ReplicaID) -> EncodedTransaction {
    var renamed = self
    renamed.head.forkedFrom = stream
    renamed.head.dot = dot
    renamed.head.stamp = Stamp(time: head.stamp.time, counter: head.stamp.counter, replica: dot.replica)
    return renamed
  }

  /// Puts other payloads in the place of some; nil: it stays. Ordinals and entities are those of the author's
  /// catalogue.
  mutating func replacePayloads(
    _ replacement: (EncodedRecord, Int, RawBytes) throws -> [UInt8]?
  ) throws {
    try TransactionCodec.replacePayloads(of: &bytes, at: &recordOffsets, replacement)
  }

  /// Leaves out what the transaction says of some records.
  ///
  /// - Returns: Those that it deletes, in the numbers of the author's catalogue.
  package mutating func removeRecords(where isVoid: (RecordID) throws -> Bool) throws -> [RecordKey] {
    let bytes = bytes
    var deleted: [RecordKey] = []
    try recordOffsets.removeAll { offset in
      let record = try bytes.withRawBytes { bytes throws in
        var reader = ByteReader(bytes.slice(offset..<bytes.count), subject: "a transaction")
        return try EncodedRecord(from: &reader)
      }
      guard try isVoid(record.id) else { return false }
      if record.isDelete { deleted.append(RecordKey(entity: record.entity, id: record.id)) }
      return true
    }
    return deleted
  }
}

/// The head of one record of a transaction, before its registers.
struct EncodedRecord {
  let entity: EntityNumber
  let id: RecordID
  let flags: UInt8
  let registerCount: Int

  /// Whether the transaction leaves the record deleted.
  var isDelete: Bool { flags & TransactionCodec.deletedFlag != 0 }

  init(from reader: inout ByteReader) throws {
    entity = try reader.readNumber()
    id = try reader.readID()
    flags = try reader.read()
    registerCount = try reader.readCount(minimumSize: 2)
  }
}

extension ByteReader {
  fileprivate mutating func checkRegisters(
    of record: EncodedRecord, fieldType: (EntityNumber, Int) throws -> FieldType,
    isSound: (_ ordinal: Int, _ payload: RawBytes) -> Bool
  ) throws {
    var last = -1
    for _ in 0..<record.registerCount {
      let register = try EncodedRegister(from: &self)
      guard register.ordinal > last else { throw damaged("its fields are not in order") }
      last = register.ordinal
      let type = try fieldType(record.entity, register.ordinal)
      guard register.payload.map({ type.canHold($0) }) ?? true else {
        throw damaged("a value does not have its field's type")
      }
      if type == .data, let payload = register.payload, !isSound(register.ordinal, payload) {
        throw damaged("it refers to a value of an impossible length")
      }
    }
  }
}

extension FieldType {
  /// Whether bytes of this number can be a value: what ``FieldValue/init(encoded:type:)`` asks.
  fileprivate func canHold(_ payload: RawBytes) -> Bool {
    if let fixedByteCount { return payload.count == fixedByteCount }
    return self != .decimal || DecimalParts(encoded: payload) != nil
  }

  /// Whether a value's bytes are those that the store would write for it; what another writer may have spelled
  /// otherwise is decoded and written anew.
  func isSpelledAsStored(_ payload: RawBytes) -> Bool {
    switch self {
    case .bool: payload.load(at: 0, as: UInt8.self) <= 1
    case .string, .url: payload.isValidText
    case .decimal:
      DecimalParts(encoded: payload).map { FieldValue.decimal($0.decimal).encodedBytes == payload.copied() } ?? false
    case .int, .uint, .double, .date, .uuid, .data, .composite, .reference: true
    }
  }
}

extension RawBytes {
  /// Whether this is UTF-8: eight bytes at a time as long as they are ASCII, which most text is.
  fileprivate var isValidText: Bool {
    var offset = 0
    while offset + 8 <= count {
      guard load(at: offset, as: UInt64.self) & 0x8080_8080_8080_8080 == 0 else {
        return String(validating: buffer, as: UTF8.self) != nil
      }
      offset += 8
    }
    return slice(offset..<count).isASCII || String(validating: buffer, as: UTF8.self) != nil
  }
}
