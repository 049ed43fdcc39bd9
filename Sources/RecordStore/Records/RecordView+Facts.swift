package import LMDB

/// The facts of a record beyond what readers see: stamps, life, registers that read as nil.
extension RecordView {
  package var isInserted: Bool {
    bytes.count >= RecordFormat.headerByteCount
      && bytes.load(at: 1, as: UInt8.self) & RecordFormat.insertedFlag != 0
  }

  /// The greatest stamp of inserts and user updates.
  package var touch: Stamp? { headerStamp(at: RecordFormat.touchOffset) }

  /// The greatest stamp of explicit deletes.
  package var deleted: Stamp? { headerStamp(at: RecordFormat.deleteOffset) }

  /// When a field was last written; nil if it never was.
  package func stamp(at ordinal: Int) -> Stamp? {
    guard ordinal >= 0, ordinal < fieldCount else { return nil }
    return stampNumber(at: ordinal).flatMap { stamp(number: $0) }
  }

  /// Whether the field's last write was an insert of a once transaction.
  package func isOnce(at ordinal: Int) -> Bool {
    guard onceInsertCount > 0, ordinal >= 0, ordinal < fieldCount, let number = stampNumber(at: ordinal) else {
      return false
    }
    return number >= firstOnceStamp
  }

  func stampNumber(at ordinal: Int) -> Int? {
    let numbers = stampTableOffset - fieldCount * stampNumberWidth
    guard numbers >= RecordFormat.headerByteCount else { return nil }
    guard isWide else {
      let number = bytes.load(at: numbers + ordinal, as: UInt8.self)
      return number == UInt8.max ? nil : Int(number)
    }
    let number = Int(bytes.load(at: numbers + 2 * ordinal, as: UInt16.self))
    return number == RecordFormat.noStamp ? nil : number
  }

  package func isWritten(at ordinal: Int) -> Bool { flags(at: ordinal) & RecordFormat.unwrittenFlag == 0 }

  /// Whether the field is a reference whose target was not visible when the record was written.
  package func isDangling(at ordinal: Int) -> Bool { flags(at: ordinal) & RecordFormat.danglingFlag != 0 }

  /// The reference in the register, visible or not.
  package func registerReference(at ordinal: Int) -> RecordID? {
    registerBytes(at: ordinal).flatMap { RecordID(bytes: $0) }
  }

  /// The value of the register; nil if it was never written.
  package func registerValue(at ordinal: Int, type: FieldType) -> FieldValue? {
    guard isWritten(at: ordinal) else { return nil }
    guard let field = registerBytes(at: ordinal) else { return .null }
    return FieldValue(encoded: field, type: type)
  }

  package var stampCount: Int {
    guard bytes.count >= RecordFormat.headerByteCount else { return 0 }
    return Int(bytes.load(at: RecordFormat.stampCountOffset, as: UInt16.self))
  }

  var isWide: Bool { bytes.load(at: 1, as: UInt8.self) & RecordFormat.wideFlag != 0 }
  var stampNumberWidth: Int { isWide ? 2 : 1 }
  /// Where the stamp table begins; negative in a damaged record.
  var stampTableOffset: Int { bytes.count - onceByteCount - stampCount * Stamp.byteCount }

  private func headerStamp(at offset: Int) -> Stamp? {
    guard bytes.count >= RecordFormat.headerByteCount else { return nil }
    let number = Int(bytes.load(at: offset, as: UInt16.self))
    return number == RecordFormat.noStamp ? nil : stamp(number: number)
  }

  func stamp(number: Int) -> Stamp? {
    let start = stampTableOffset
    guard number < stampCount, start >= RecordFormat.headerByteCount else { return nil }
    return Stamp(encoded: bytes, at: start + number * Stamp.byteCount)
  }
}

// Once transactions that inserted the record.
extension RecordView {
  var onceInsertCount: Int {
    guard bytes.count >= RecordFormat.headerByteCount else { return 0 }
    return Int(bytes.load(at: RecordFormat.onceCountOffset, as: UInt16.self))
  }

  /// In order of the key's hash.
  package var onceInserts: [RecordFacts.OnceInsert] {
    let count = onceInsertCount
    guard count > 0, stampTableOffset >= RecordFormat.headerByteCount else { return [] }
    let start = bytes.count - onceByteCount
    return (0..<count).compactMap { index in
      let place = start + index * RecordFormat.onceInsertByteCount
      guard let stamp = stamp(number: Int(bytes.load(at: place + 8, as: UInt16.self))) else { return nil }
      return RecordFacts.OnceInsert(keyHash: bytes.load(at: place, as: UInt64.self), stamp: stamp)
    }
  }

  /// Stamps from this number on were given by once inserts.
  private var firstOnceStamp: Int {
    guard onceInsertCount > 0, bytes.count >= 2 else { return .max }
    return Int(bytes.load(at: bytes.count - 2, as: UInt16.self))
  }

  private var onceByteCount: Int {
    let count = onceInsertCount
    return count == 0 ? 0 : RecordFormat.onceInsertByteCount * count + 2
  }

  /// Whether the keys rise and each names a stamp that a once insert gave.
  var hasSoundOnceInserts: Bool {
    guard onceInsertCount > 0 else { return true }
    guard firstOnceStamp < stampCount, stampTableOffset >= RecordFormat.headerByteCount else { return false }
    let start = bytes.count - onceByteCount
    var last: UInt64?
    for index in 0..<onceInsertCount {
      let place = start + index * RecordFormat.onceInsertByteCount
      let hash = bytes.load(at: place, as: UInt64.self)
      let number = Int(bytes.load(at: place + 8, as: UInt16.self))
      guard last.map({ $0 < hash }) ?? true, number >= firstOnceStamp, number < stampCount else { return false }
      last = hash
    }
    return true
  }
}

extension Stamp {
  /// Reads the 18 bytes at an offset that the caller has checked.
  package init(encoded bytes: RawBytes, at offset: Int) {
    self.init(
      time: bytes.load(at: offset, as: UInt64.self), counter: bytes.load(at: offset + 8, as: UInt16.self),
      replica: ReplicaID(bytes.load(at: offset + 10, as: UInt64.self)))
  }
}
