import LMDB

/// The byte form of one transaction's facts: kept in history, copied into change sets.
///
/// Format 1, and format 2 for what format 1 cannot say: its readers refuse those, and only those.
/// Numbers without a width are variable (see `VariableLength`); ids stand most significant
/// byte first, other fixed numbers little-endian.
/// ```
/// format u8 (1; 2 with a once key or a notice) · flags u8 (1: has an author, 2: a once key, 4: a notice)
/// CRC-32C u32 of all but itself
/// replica u64 · sequence · stamp time u64, counter u16 · [author: length, UTF-8]
/// [once key: length, UTF-8 in NFC form] · [notice: length, bytes]
/// context: count · each in order of replica: replica u64, sequence, stamp time u64, counter u16
/// records: count · each:
///   entity · id 16 · flags u8 (1 inserted, 2 touched, 4 deleted, 8 inserted by the once key)
///   registers: count · each:
///     ordinal · size: 0 for null, else 1 + payload bytes · payload as in a record
/// ```
/// The stamp of every register, touch and delete is the transaction's and is not repeated.
package enum TransactionCodec {
  static let format: UInt8 = 1
  static let extendedFormat: UInt8 = 2
  /// The most bytes of a transaction that a file for other devices can hold: 1 GiB with the length before it.
  package static let maximumByteCount = (1 << 30) - 4

  /// The least format that a reader of an encoded transaction must know; 1 for bytes that are none.
  package static func format(of encoded: [UInt8]) -> UInt8 {
    encoded.first == extendedFormat ? extendedFormat : format
  }
  private static let checksumOffset = 2
  private static let bodyOffset = 6
  private static let authorFlag: UInt8 = 1
  private static let onceFlag: UInt8 = 2
  private static let noticeFlag: UInt8 = 4

  private static func flags(of transaction: TransactionFacts) -> UInt8 {
    (transaction.author == nil ? 0 : authorFlag) | (transaction.once == nil ? 0 : onceFlag)
      | (transaction.notice == nil ? 0 : noticeFlag)
  }

  /// Entity numbers and ordinals are those of the author's catalogue.
  package static func encode(_ transaction: TransactionFacts) -> [UInt8] {
    encode(
      transaction, recordCount: transaction.records.count, recordByteCount: byteCount(of: transaction.records)
    ) { write(transaction.records, to: &$0) }
  }

  /// As ``encode(_:)``, with so many records that `write` writes, in at most so many bytes.
  static func encode(
    _ transaction: TransactionFacts, recordCount: Int, recordByteCount: Int, write: (inout ByteWriter) -> Void
  ) -> [UInt8] {
    let headByteCount = byteCount(ofHead: transaction, recordCount: recordCount)
    return [UInt8](byteCount: headByteCount + recordByteCount) { writer in
      writer.write(transaction.isExtended ? extendedFormat : format)
      writer.write(flags(of: transaction))
      writer.write(0 as UInt32)
      writer.write(transaction.dot.replica.value)
      writer.writeVariable(transaction.dot.sequence)
      writer.write(transaction.stamp.time)
      writer.write(transaction.stamp.counter)
      if let author = transaction.author { writer.writeText(author) }
      if let key = transaction.once { writer.writeText(key.text) }
      if let notice = transaction.notice {
        writer.writeVariable(notice.count)
        notice.withUnsafeBytes { writer.write($0) }
      }
      writer.write(transaction.context)
      writer.writeVariable(recordCount)
      write(&writer)
      seal(&writer)
    }
  }

  /// Throws `StoreError.damaged` on anything that is not exactly one encoded transaction; `fieldType` says how
  /// to read a field of the author's catalogue. Never allocates more than the bytes justify.
  package static func decode(
    _ bytes: [UInt8], fieldType: (EntityNumber, Int) throws -> FieldType
  ) throws -> TransactionFacts {
    try bytes.withRawBytes { (bytes) throws in try decode(bytes, fieldType: fieldType) }
  }

  private static func decode(
    _ bytes: RawBytes, fieldType: (EntityNumber, Int) throws -> FieldType
  ) throws -> TransactionFacts {
    var (transaction, reader, count) = try readHead(of: bytes)
    transaction.records.reserveCapacity(count)
    for _ in 0..<count {
      let record = try EncodedRecord(from: &reader)
      let facts = try facts(of: record, stamp: transaction.stamp, once: transaction.once, from: &reader) { ordinal in
        (ordinal, try fieldType(record.entity, ordinal))
      }
      transaction.records.append(facts)
    }
    guard reader.isAtEnd else { throw reader.damaged("something follows its end") }
    return transaction
  }

  /// Everything before the records, how many they are, and a reader that stands before the first.
  static func readHead(
    of bytes: RawBytes
  ) throws -> (head: TransactionFacts, reader: ByteReader, recordCount: Int) {
    var reader = ByteReader(bytes, subject: "a transaction")
    let version = try reader.read(as: UInt8.self)
    let flags = try reader.read(as: UInt8.self)
    let stored = try reader.read(as: UInt32.self)
    guard stored == checksum(bytes) else { throw reader.damaged("its checksum is wrong") }
    guard
      version == format && flags & ~authorFlag == 0
        || version == extendedFormat && flags & ~(authorFlag | onceFlag | noticeFlag) == 0
    else {
      throw StoreError(
        .newerFormat, "a transaction has format \(version), this build reads up to \(extendedFormat): update the app")
    }
    let replica = ReplicaID(try reader.read())
    let dot = Dot(replica: replica, sequence: try reader.readSequence())
    let stamp = Stamp(time: try reader.read(), counter: try reader.read(), replica: replica)
    let author = flags & authorFlag == 0 ? nil : try reader.readText()
    let once = flags & onceFlag == 0 ? nil : try reader.readOnceKey(count: try reader.readCount())
    let notice = flags & noticeFlag == 0 ? nil : try reader.read(count: try reader.readCount()).copied()
    let context = try reader.readVersionVector()
    // Entity, id, flags and the count of registers: nineteen bytes at least.
    let count = try reader.readCount(minimumSize: 19)
    let head = TransactionFacts(
      dot: dot, stamp: stamp, author: author, context: context, once: once, records: [], notice: notice)
    return (head, reader, count)
  }

  /// Fills in the checksum of a transaction that is written.
  static func seal(_ writer: inout ByteWriter) {
    writer.patch(checksum(RawBytes(writer.written)), at: checksumOffset)
  }

  /// As ``seal(_:)``, of one whose records go on elsewhere.
  static func seal(_ first: inout [UInt8], before rest: [[UInt8]]) {
    let sum = rest.reduce(first.withRawBytes { checksum($0) }) { sum, part in
      part.withRawBytes { $0.checksum(after: sum) }
    }
    withUnsafeBytes(of: sum.littleEndian) { first.replaceSubrange(checksumOffset..<bodyOffset, with: $0) }
  }

  private static func checksum(_ bytes: RawBytes) -> UInt32 {
    bytes.slice(bodyOffset..<bytes.count).checksum(after: bytes.slice(0..<checksumOffset).checksum)
  }
}

// One record.
extension TransactionCodec {
  static let insertedFlag: UInt8 = 1
  static let touchedFlag: UInt8 = 2
  static let deletedFlag: UInt8 = 4
  private static let onceInsertFlag: UInt8 = 8

  /// Where the values of an author's field go, and how to read them.
  typealias FieldPlace = (ordinal: Int, type: FieldType)

  static func byteCount(of records: [RecordFacts]) -> Int { records.reduce(0) { $0 + byteCount(of: $1) } }

  static func write(_ records: [RecordFacts], to writer: inout ByteWriter) {
    for record in records { write(record, to: &writer) }
  }

  private static func byteCount(ofHead transaction: TransactionFacts, recordCount: Int) -> Int {
    var count = bodyOffset + 8 + VariableLength.byteCount(transaction.dot.sequence) + 10
    if let author = transaction.author {
      count += VariableLength.byteCount(UInt64(author.utf8.count)) + author.utf8.count
    }
    if let key = transaction.once {
      count += VariableLength.byteCount(UInt64(key.text.utf8.count)) + key.text.utf8.count
    }
    if let notice = transaction.notice { count += VariableLength.byteCount(UInt64(notice.count)) + notice.count }
    count += transaction.context.encodedByteCount
    return count + VariableLength.byteCount(UInt64(recordCount))
  }

  private static func byteCount(of record: RecordFacts) -> Int {
    var count = VariableLength.byteCount(UInt64(record.entity)) + RecordID.byteCount + 1
    count += VariableLength.byteCount(UInt64(record.registers.count))
    for register in record.registers {
      let size = register.value == .null ? 0 : register.value.encodedByteCount + 1
      count += VariableLength.byteCount(UInt64(register.ordinal)) + VariableLength.byteCount(UInt64(size))
      count += max(0, size - 1)
    }
    return count
  }

  private static func write(_ record: RecordFacts, to writer: inout ByteWriter) {
    writer.writeVariable(record.entity)
    writer.write(record.id)
    var flags = record.isInserted ? insertedFlag : 0
    if record.touch != nil { flags |= touchedFlag }
    if record.deleted != nil { flags |= deletedFlag }
    if !record.onceInserts.isEmpty { flags |= onceInsertFlag }
    writer.write(flags)
    writer.writeVariable(record.registers.count)
    for register in record.registers {
      writer.writeVariable(register.ordinal)
      writer.writeVariable(register.value == .null ? 0 : register.value.encodedByteCount + 1)
      writer.write(register.value)
    }
  }

  /// The facts of a record whose registers come next. `place`: nil leaves a field out.
  static func facts(
    of record: EncodedRecord, stamp: Stamp, once: OnceKey?, from reader: inout ByteReader,
    place: (_ ordinal: Int) throws -> FieldPlace?
  ) throws -> RecordFacts {
    let flags = record.flags
    guard flags <= (once == nil ? 7 : 15) else { throw reader.damaged("it has unknown flags") }
    let isOnce = flags & onceInsertFlag != 0
    var facts = RecordFacts(
      entity: record.entity, id: record.id, isInserted: flags & insertedFlag != 0,
      touch: flags & touchedFlag != 0 ? stamp : nil, deleted: flags & deletedFlag != 0 ? stamp : nil)
    if let once, isOnce { facts.onceInserts = [RecordFacts.OnceInsert(keyHash: once.hash, stamp: stamp)] }
    facts.registers.reserveCapacity(record.registerCount)
    var last = -1
    for _ in 0..<record.registerCount {
      let register = try EncodedRegister(from: &reader)
      guard register.ordinal > last else { throw reader.damaged("its fields are not in order") }
      last = register.ordinal
      guard let (ordinal, type) = try place(register.ordinal) else { continue }
      let value = try value(of: register, type: type, reader)
      facts.registers.append(RecordFacts.Register(ordinal: ordinal, value: value, stamp: stamp, isOnce: isOnce))
    }
    return facts
  }

  /// A record as ``RecordDrafts`` holds it, which a local save with this stamp has made or rewritten: the registers
  /// that name the stamp of its touch, and of a new one all. A pointer file, for the sake of this.
  static func write(_ bytes: RawBytes, id: RecordID, isNew: Bool, to writer: inout ByteWriter) {
    let view = RecordView(bytes)
    let fieldCount = view.fieldCount
    let numbers = bytes.slice(view.stampTableOffset - fieldCount..<view.stampTableOffset)
    let touch = UInt8(truncatingIfNeeded: bytes.load(at: RecordFormat.touchOffset, as: UInt16.self))
    func isWrittenHere(_ ordinal: Int) -> Bool {
      let number = numbers.load(at: ordinal, as: UInt8.self)
      return isNew ? number != UInt8.max : number == touch
    }
    var count = 0
    for ordinal in 0..<fieldCount where isWrittenHere(ordinal) { count += 1 }
    // A large save does this for each field of each record, so the end is not checked for each byte.
    writer.write(atMost: maximumByteCount(ofStored: bytes.count)) { start in
      var place = VariableLength.write(view.entity, at: start)
      place.storeBytes(of: id.high.bigEndian, as: UInt64.self)
      (place + 8).storeBytes(of: id.low.bigEndian, as: UInt64.self)
      (place + 16).storeBytes(of: isNew ? insertedFlag | touchedFlag : touchedFlag, as: UInt8.self)
      place = VariableLength.write(count, at: place + 17)
      for ordinal in 0..<fieldCount where isWrittenHere(ordinal) {
        place = VariableLength.write(ordinal, at: place)
        guard let value = view.registerBytes(at: ordinal) else {
          place = VariableLength.write(0, at: place)
          continue
        }
        place = VariableLength.write(value.count + 1, at: place)
        place.copyMemory(from: value.start, byteCount: value.count)
        place += value.count
      }
      return start.distance(to: place)
    }
  }

  /// The most bytes that a stored record takes in a transaction: a shorter head, and of a field at most eight bytes
  /// beside its value, where the record has five.
  static func maximumByteCount(ofStored byteCount: Int) -> Int { 2 * byteCount + 32 }

  /// As many bytes as a record of which only the delete is told takes at most.
  static let deleteByteCount = 24

  /// A record of which a save says nothing but that it is deleted.
  static func writeDelete(_ entity: EntityNumber, _ id: RecordID, to writer: inout ByteWriter) {
    writer.writeVariable(entity)
    writer.write(id)
    writer.write(deletedFlag)
    writer.writeVariable(0)
  }

  private static func value(
    of register: EncodedRegister, type: FieldType, _ reader: borrowing ByteReader
  ) throws -> FieldValue {
    guard let payload = register.payload else { return .null }
    guard let value = FieldValue(encoded: payload, type: type) else {
      throw reader.damaged("a value does not have its field's type")
    }
    return value
  }
}

extension TransactionFacts {
  /// Whether format 1 cannot say it.
  fileprivate var isExtended: Bool { once != nil || notice != nil }
}
