import LMDB

/// Writes a stored record anew with other values of some fields: what does not change is copied as bytes.
///
/// Gives the bytes that ``RecordEncoding`` gives for the same facts. Kept and used again: its memory serves the next
/// record. A pointer file: records are written into memory that ``RecordDrafts`` lends.
struct RecordRewrite {
  /// By the record's old stamp number: the new one, `unused` as long as nothing names it.
  private var numbers: [UInt8] = []
  /// By new stamp number: the old one, or nil for the save's own stamp.
  private var stamps: [Int?] = []
  private static let unused = UInt8.max

  /// Whether a record has nothing that takes more than this: it must be plainly written, and not by a once insert.
  static func isPossible(_ record: RecordView) -> Bool {
    record.bytes.load(at: 0, as: UInt8.self) == RecordFormat.version && !record.isWide && record.isInserted
      && record.stampCount < RecordFormat.maximumNarrowStampCount && record.touch != nil
  }

  /// Adds the record to `records` with the values of `writes`, rising by ordinal and not empty, and the save's stamp as
  /// theirs and as the touch. False, with nothing added, if it would be too large.
  mutating func rewrite(
    _ old: RecordView, id: RecordID, _ layout: DraftLayout, _ writes: [FieldWrite], stamp: Stamp,
    into records: inout RecordDrafts
  ) -> Bool {
    let fieldCount = max(layout.fieldCount, old.fieldCount)
    let own = number(stampsOf: old, writes, fieldCount)
    let tableEnd = RecordFormat.headerByteCount + 4 * fieldCount
    let payload = payloadByteCount(old, writes)
    let count = tableEnd + payload + fieldCount + stamps.count * Stamp.byteCount
    guard count <= RecordFormat.maximumByteCount, stamps.count <= RecordFormat.maximumNarrowStampCount else {
      return false
    }
    records.add(id, layout.entity, count, isNew: false) { buffer in
      var head = ByteWriter(UnsafeMutableRawBufferPointer(rebasing: buffer[..<tableEnd]))
      var values = ByteWriter(UnsafeMutableRawBufferPointer(rebasing: buffer[tableEnd..<tableEnd + payload]))
      var tail = ByteWriter(UnsafeMutableRawBufferPointer(rebasing: buffer[(tableEnd + payload)...]))
      writeHeader(old, fieldCount: fieldCount, count: count, own: own, to: &head)
      var next = 0
      for ordinal in 0..<fieldCount {
        if next < writes.count, writes[next].ordinal == ordinal {
          let isNull = writes[next].value == .null
          values.write(writes[next].value)
          head.write(UInt32(tableEnd + values.offset) | (isNull ? RecordFormat.nullFlag : 0))
          tail.write(own)
          next += 1
        } else {
          if let bytes = old.registerBytes(at: ordinal) { values.write(bytes.buffer) }
          head.write(UInt32(tableEnd + values.offset) | old.flags(at: ordinal))
          tail.write(oldNumber(of: ordinal, in: old).map { numbers[$0] } ?? UInt8.max)
        }
      }
      for number in stamps { tail.write(number.flatMap { old.stamp(number: $0) } ?? stamp) }
      let checksum = RecordFormat.checksum(
        RawBytes(UnsafeRawBufferPointer(buffer)), id: id, entity: layout.entity)
      buffer.storeBytes(of: checksum.littleEndian, toByteOffset: RecordFormat.checksumOffset, as: UInt32.self)
    }
    return true
  }

  /// Adds the record with the save's stamp as its delete: the stamp comes last.
  static func delete(
    _ old: RecordView, id: RecordID, _ entity: EntityNumber, stamp: Stamp, into records: inout RecordDrafts
  ) {
    let oldCount = old.bytes.count
    let count = oldCount + Stamp.byteCount
    records.add(id, entity, count, isNew: false) { buffer in
      buffer.copyMemory(from: old.bytes.buffer)
      buffer.storeBytes(
        of: UInt32(count).littleEndian, toByteOffset: RecordFormat.lengthOffset, as: UInt32.self)
      buffer.storeBytes(
        of: UInt16(old.stampCount + 1).littleEndian, toByteOffset: RecordFormat.stampCountOffset, as: UInt16.self)
      buffer.storeBytes(
        of: UInt16(old.stampCount).littleEndian, toByteOffset: RecordFormat.deleteOffset, as: UInt16.self)
      var tail = ByteWriter(UnsafeMutableRawBufferPointer(rebasing: buffer[oldCount...]))
      tail.write(stamp)
      let checksum = RecordFormat.checksum(RawBytes(UnsafeRawBufferPointer(buffer)), id: id, entity: entity)
      buffer.storeBytes(of: checksum.littleEndian, toByteOffset: RecordFormat.checksumOffset, as: UInt32.self)
    }
  }

  private func oldNumber(of ordinal: Int, in old: RecordView) -> Int? {
    ordinal < old.fieldCount ? old.stampNumber(at: ordinal) : nil
  }

  /// Numbers the stamps in the order in which fields, touch and delete first name them; returns the save's own.
  private mutating func number(stampsOf old: RecordView, _ writes: [FieldWrite], _ fieldCount: Int) -> UInt8 {
    numbers.removeAll(keepingCapacity: true)
    numbers.append(contentsOf: repeatElement(Self.unused, count: old.stampCount))
    stamps.removeAll(keepingCapacity: true)
    var own = Self.unused
    var next = 0
    for ordinal in 0..<fieldCount {
      if next < writes.count, writes[next].ordinal == ordinal {
        next += 1
        guard own == Self.unused else { continue }
        own = UInt8(stamps.count)
        stamps.append(nil)
      } else if let number = oldNumber(of: ordinal, in: old) {
        note(number)
      }
    }
    let deleted = Int(old.bytes.load(at: RecordFormat.deleteOffset, as: UInt16.self))
    if deleted != RecordFormat.noStamp { note(deleted) }
    return own
  }

  private mutating func note(_ number: Int) {
    guard numbers[number] == Self.unused else { return }
    numbers[number] = UInt8(truncatingIfNeeded: stamps.count)
    stamps.append(number)
  }

  private func payloadByteCount(_ old: RecordView, _ writes: [FieldWrite]) -> Int {
    var count = 0
    for ordinal in 0..<old.fieldCount { count += old.registerBytes(at: ordinal)?.count ?? 0 }
    for write in writes {
      count += write.value.encodedByteCount - (old.registerBytes(at: write.ordinal)?.count ?? 0)
    }
    return count
  }

  private func writeHeader(
    _ old: RecordView, fieldCount: Int, count: Int, own: UInt8, to writer: inout ByteWriter
  ) {
    let deleted = Int(old.bytes.load(at: RecordFormat.deleteOffset, as: UInt16.self))
    writer.write(RecordFormat.version)
    writer.write(RecordFormat.insertedFlag)
    writer.write(UInt16(fieldCount))
    writer.write(0 as UInt32)
    writer.write(UInt32(count))
    writer.write(old.bytes.load(at: RecordFormat.entityOffset, as: UInt32.self))
    writer.write(UInt16(stamps.count))
    writer.write(UInt16(own))
    writer.write(deleted == RecordFormat.noStamp ? UInt16(RecordFormat.noStamp) : UInt16(numbers[deleted]))
    writer.write(0 as UInt16)
    writer.write(UInt32(RecordFormat.headerByteCount + 4 * fieldCount))
  }
}
