import LMDB

/// Joins what a transaction says of a record to the record's bytes, without a value in between.
///
/// Gives the bytes that ``RecordEncoding`` gives for the joined facts. Kept and used again: its memory serves the next
/// record. A pointer file: records are written into memory that ``RecordDrafts`` lends.
struct RecordJoin {
  enum Outcome {
    /// Nothing is said that the record does not know better.
    case unchanged
    /// The joined record is the newest of the drafts.
    case joined
    /// Only the rules can tell: equal stamps, a record too large.
    case unusual
  }

  /// The transaction's registers, rising by ordinal: to be filled before each join.
  var registers: [EncodedRegister] = []
  /// Whether each of the ``registers`` beats what the record has.
  private(set) var wins: [Bool] = []
  /// By the record's old stamp number: the new one, `unused` as long as nothing names it.
  private var numbers: [UInt8] = []
  /// By new stamp number: the old one, or nil for the transaction's own stamp.
  private var stamps: [Int?] = []
  private static let unused = UInt8.max

  /// Adds a record that nothing was known of. False if it would be too large.
  mutating func insert(
    _ id: RecordID, _ layout: DraftLayout, stamp: Stamp, into records: inout RecordDrafts
  ) -> Bool {
    let fieldCount = layout.fieldCount
    let tableEnd = RecordFormat.headerByteCount + 4 * fieldCount
    let payload = registers.reduce(0) { $0 + ($1.payload?.count ?? 0) }
    let count = tableEnd + payload + fieldCount + Stamp.byteCount
    guard count <= RecordFormat.maximumByteCount else { return false }
    records.add(id, layout.entity, count, isNew: true) { buffer in
      var record = Parts(buffer, tableEnd: tableEnd, payload: payload)
      record.writeHeader(fieldCount, layout.entity, stampCount: 1, touch: 0)
      var next = 0
      for ordinal in 0..<fieldCount {
        if next < registers.count, registers[next].ordinal == ordinal {
          record.write(registers[next].payload, flags: 0, number: 0)
          next += 1
        } else {
          record.write(nil, flags: RecordFormat.unwrittenFlag, number: Self.unused)
        }
      }
      record.tail.write(stamp)
      record.seal(id, layout.entity)
    }
    return true
  }

  /// Whether one of the ``registers`` is of a field that another replica had written later than the transaction at
  /// `stamp`, or that its author had not seen: `context` is what the author had.
  func meetsUnseen(_ old: RecordView, stamp: Stamp, context: VersionVector) -> Bool {
    registers.contains { register in
      guard let known = old.stamp(at: register.ordinal), known.replica != stamp.replica, known != .zero else {
        return false
      }
      return known > stamp || !context.covers(known)
    }
  }

  /// Joins to a record of which ``RecordRewrite/isPossible(_:)`` is true and that was never deleted. `touches`: whether
  /// the transaction gives life, as all but those of migrations do. `isNew`: whether the store does not have the record
  /// yet.
  mutating func join(
    _ old: RecordView, id: RecordID, _ layout: DraftLayout, stamp: Stamp, touches: Bool, isNew: Bool,
    into records: inout RecordDrafts
  ) -> Outcome {
    guard let touch = old.touch, compare(with: old, stamp) else { return .unusual }
    let isTouched = touches && touch < stamp
    guard isTouched || wins.contains(true) else { return .unchanged }
    let fieldCount = max(layout.fieldCount, old.fieldCount)
    let own = number(stampsOf: old, fieldCount, isTouched: isTouched)
    let tableEnd = RecordFormat.headerByteCount + 4 * fieldCount
    let payload = payloadByteCount(old)
    let count = tableEnd + payload + fieldCount + stamps.count * Stamp.byteCount
    guard count <= RecordFormat.maximumByteCount, stamps.count < RecordFormat.maximumNarrowStampCount else {
      return .unusual
    }
    let touchNumber = isTouched ? own : numbers[Int(old.bytes.load(at: RecordFormat.touchOffset, as: UInt16.self))]
    records.add(id, layout.entity, count, isNew: isNew) { buffer in
      var record = Parts(buffer, tableEnd: tableEnd, payload: payload)
      record.writeHeader(fieldCount, layout.entity, stampCount: stamps.count, touch: touchNumber)
      var next = 0
      for ordinal in 0..<fieldCount {
        if let winner = winner(at: ordinal, &next) {
          record.write(winner.payload, flags: 0, number: own)
        } else {
          let number = stampNumber(of: ordinal, in: old).map { numbers[$0] } ?? Self.unused
          record.write(old.registerBytes(at: ordinal), flags: old.flags(at: ordinal), number: number)
        }
      }
      for number in stamps { record.tail.write(number.flatMap { old.stamp(number: $0) } ?? stamp) }
      record.seal(id, layout.entity)
    }
    return .joined
  }

  /// Fills ``wins``; false where equal stamps leave it to the bytes.
  private mutating func compare(with old: RecordView, _ stamp: Stamp) -> Bool {
    wins.removeAll(keepingCapacity: true)
    for register in registers {
      guard let known = old.stamp(at: register.ordinal) else {
        wins.append(true)
        continue
      }
      if known == stamp { return false }
      wins.append(known < stamp)
    }
    return true
  }

  /// The register that the transaction wins with at an ordinal. Ordinals are asked for in turn.
  private func winner(at ordinal: Int, _ next: inout Int) -> EncodedRegister? {
    guard next < registers.count, registers[next].ordinal == ordinal else { return nil }
    defer { next += 1 }
    return wins[next] ? registers[next] : nil
  }

  private func stampNumber(of ordinal: Int, in old: RecordView) -> Int? {
    ordinal < old.fieldCount ? old.stampNumber(at: ordinal) : nil
  }

  /// Numbers the stamps in the order in which fields and touch first name them; returns the transaction's own.
  private mutating func number(stampsOf old: RecordView, _ fieldCount: Int, isTouched: Bool) -> UInt8 {
    numbers.removeAll(keepingCapacity: true)
    numbers.append(contentsOf: repeatElement(Self.unused, count: old.stampCount))
    stamps.removeAll(keepingCapacity: true)
    var own = Self.unused
    func noteOwn() {
      guard own == Self.unused else { return }
      own = UInt8(stamps.count)
      stamps.append(nil)
    }
    var next = 0
    for ordinal in 0..<fieldCount {
      if winner(at: ordinal, &next) != nil {
        noteOwn()
      } else if let number = stampNumber(of: ordinal, in: old) {
        note(number)
      }
    }
    if isTouched { noteOwn() } else { note(Int(old.bytes.load(at: RecordFormat.touchOffset, as: UInt16.self))) }
    return own
  }

  private mutating func note(_ number: Int) {
    guard numbers[number] == Self.unused else { return }
    numbers[number] = UInt8(truncatingIfNeeded: stamps.count)
    stamps.append(number)
  }

  private func payloadByteCount(_ old: RecordView) -> Int {
    var count = 0
    for ordinal in 0..<old.fieldCount { count += old.registerBytes(at: ordinal)?.count ?? 0 }
    for (register, isWinner) in zip(registers, wins) where isWinner {
      count += (register.payload?.count ?? 0) - (old.registerBytes(at: register.ordinal)?.count ?? 0)
    }
    return count
  }
}

extension RecordJoin {
  /// The three parts of a record that grow side by side.
  private struct Parts {
    private let buffer: UnsafeMutableRawBufferPointer
    private let tableEnd: Int
    private var head: ByteWriter
    private var values: ByteWriter
    var tail: ByteWriter

    init(_ buffer: UnsafeMutableRawBufferPointer, tableEnd: Int, payload: Int) {
      self.buffer = buffer
      self.tableEnd = tableEnd
      head = ByteWriter(UnsafeMutableRawBufferPointer(rebasing: buffer[..<tableEnd]))
      values = ByteWriter(UnsafeMutableRawBufferPointer(rebasing: buffer[tableEnd..<tableEnd + payload]))
      tail = ByteWriter(UnsafeMutableRawBufferPointer(rebasing: buffer[(tableEnd + payload)...]))
    }

    /// Writes the header of a record that was never deleted.
    mutating func writeHeader(_ fieldCount: Int, _ entity: EntityNumber, stampCount: Int, touch: UInt8) {
      head.write(RecordFormat.version)
      head.write(RecordFormat.insertedFlag)
      head.write(UInt16(fieldCount))
      head.write(0 as UInt32)
      head.write(UInt32(buffer.count))
      head.write(UInt32(entity))
      head.write(UInt16(stampCount))
      head.write(UInt16(touch))
      head.write(UInt16(RecordFormat.noStamp))
      head.write(0 as UInt16)
      head.write(UInt32(tableEnd))
    }

    /// The next field; no bytes and no flags: null.
    mutating func write(_ bytes: RawBytes?, flags: UInt32, number: UInt8) {
      if let bytes { values.write(bytes.buffer) }
      let flags = bytes == nil && flags == 0 ? RecordFormat.nullFlag : flags
      head.write(UInt32(tableEnd + values.offset) | flags)
      tail.write(number)
    }

    func seal(_ id: RecordID, _ entity: EntityNumber) {
      let checksum = RecordFormat.checksum(RawBytes(UnsafeRawBufferPointer(buffer)), id: id, entity: entity)
      buffer.storeBytes(of: checksum.littleEndian, toByteOffset: RecordFormat.checksumOffset, as: UInt32.self)
    }
  }
}
