import LMDB

/// Writes a stored record anew with other values of some fields: what does not change is copied as bytes. The record
/// has passed ``RecordFormat/check(_:id:entity:)``.
///
/// Gives the bytes that ``RecordEncoding`` gives for the same facts. Kept and used again: its memory serves the next
/// record. A pointer file: records are written into memory that ``RecordDrafts`` lends.
struct RecordRewrite {
  /// By the record's old stamp number: the new one, `unused` as long as nothing names it.
  private var numbers: [UInt8] = []
  /// By new stamp number: the old one, or `unused` for the save's own stamp.
  private var stamps: [UInt8] = []
  private static let unused = UInt8.max

  /// Whether a record has nothing that takes more than this: it must be plainly written, and not by a once insert.
  static func isPossible(_ record: RecordView) -> Bool {
    record.bytes.load(at: 0, as: UInt8.self) == RecordFormat.version && !record.isWide && record.isInserted
      && record.stampCount < RecordFormat.maximumNarrowStampCount && record.touch != nil
  }

  /// Adds the record to `records` with the values of `writes`, rising by ordinal and not empty, and the save's stamp as
  /// theirs and as the touch. False, with nothing added, if it would be too large.
  mutating func rewrite(
    _ old: RecordView, id: RecordID, _ layout: DraftLayout, _ writes: ArraySlice<FieldWrite>, stamp: Stamp,
    into records: inout RecordDrafts
  ) -> Bool {
    if let touch = touch(of: old, layout, replacedBy: writes) {
      patch(old, id: id, layout.entity, writes, touch: touch, stamp: stamp, into: &records)
      return true
    }
    let fieldCount = max(layout.fieldCount, old.fieldCount)
    let own = number(stampsOf: old, writes, fieldCount)
    let tableEnd = RecordFormat.headerByteCount + 4 * fieldCount
    let payload = payloadByteCount(old, writes)
    let count = tableEnd + payload + fieldCount + stamps.count * Stamp.byteCount
    guard count <= RecordFormat.maximumByteCount, stamps.count <= RecordFormat.maximumNarrowStampCount else {
      return false
    }
    records.add(id, layout.entity, count, isNew: false) { buffer in
      var head = ByteWriter(UnsafeMutableRawBufferPointer(rebasing: buffer[..<RecordFormat.headerByteCount]))
      writeHeader(old, fieldCount: fieldCount, count: count, own: own, to: &head)
      copyFields(old, writes, fieldCount, to: buffer, payloadEnd: tableEnd + payload)
      var tail = ByteWriter(UnsafeMutableRawBufferPointer(rebasing: buffer[(tableEnd + payload)...]))
      writeNumbers(old, writes, fieldCount, own: own, to: &tail)
      for number in stamps { tail.write(number == Self.unused ? stamp : old.stamp(number: Int(number)) ?? stamp) }
      let checksum = RecordFormat.checksum(
        RawBytes(UnsafeRawBufferPointer(buffer)), id: id, entity: layout.entity)
      buffer.storeBytes(of: checksum.littleEndian, toByteOffset: RecordFormat.checksumOffset, as: UInt32.self)
    }
    return true
  }

  /// The number of the touch's stamp, where the record keeps its shape: the values are as long as those that they
  /// replace, and it is these that the touch's stamp is of, and no others. So it is where the same attributes are set
  /// again.
  private func touch(of old: RecordView, _ layout: DraftLayout, replacedBy writes: ArraySlice<FieldWrite>) -> UInt8? {
    // One byte: the record is not wide.
    let touch = UInt8(truncatingIfNeeded: old.bytes.load(at: RecordFormat.touchOffset, as: UInt16.self))
    guard old.fieldCount >= layout.fieldCount,
      old.bytes.load(at: RecordFormat.deleteOffset, as: UInt16.self) == RecordFormat.noStamp
    else { return nil }
    let numbers = old.bytes.slice(old.stampTableOffset - old.fieldCount..<old.stampTableOffset)
    for write in writes {
      if case .null = write.value { return nil }
      guard write.ordinal < old.fieldCount, numbers.load(at: write.ordinal, as: UInt8.self) == touch,
        let value = old.fieldBytes(at: write.ordinal), value.count == write.value.encodedByteCount
      else { return nil }
    }
    return numbers.buffer.count(where: { $0 == touch }) == writes.count ? touch : nil
  }

  /// Adds the record as it is, with other values and another stamp in their places.
  private func patch(
    _ old: RecordView, id: RecordID, _ entity: EntityNumber, _ writes: ArraySlice<FieldWrite>, touch: UInt8,
    stamp: Stamp, into records: inout RecordDrafts
  ) {
    records.add(id, entity, old.bytes.count, isNew: false) { buffer in
      buffer.copyMemory(from: old.bytes.buffer)
      for write in writes {
        let (start, end) = (old.end(before: write.ordinal), old.end(before: write.ordinal + 1))
        var value = ByteWriter(UnsafeMutableRawBufferPointer(rebasing: buffer[start..<end]))
        value.write(write.value)
      }
      let place = old.stampTableOffset + Int(touch) * Stamp.byteCount
      var own = ByteWriter(UnsafeMutableRawBufferPointer(rebasing: buffer[place..<place + Stamp.byteCount]))
      own.write(stamp)
      let checksum = RecordFormat.checksum(RawBytes(UnsafeRawBufferPointer(buffer)), id: id, entity: entity)
      buffer.storeBytes(of: checksum.littleEndian, toByteOffset: RecordFormat.checksumOffset, as: UInt32.self)
    }
  }

  /// The field table and the values. Between two fields that are written, values are copied in one piece, and their
  /// table's entries move by as much as what stands before has grown: the record's table is known to be sound.
  private func copyFields(
    _ old: RecordView, _ writes: ArraySlice<FieldWrite>, _ fieldCount: Int, to buffer: UnsafeMutableRawBufferPointer,
    payloadEnd: Int
  ) {
    let tableStart = RecordFormat.headerByteCount
    let tableEnd = tableStart + 4 * fieldCount
    var values = ByteWriter(UnsafeMutableRawBufferPointer(rebasing: buffer[tableEnd..<payloadEnd]))
    func note(_ ordinal: Int, _ flags: UInt32, end: Int) {
      buffer.storeBytes(
        of: (UInt32(end) | flags).littleEndian, toByteOffset: tableStart + 4 * ordinal, as: UInt32.self)
    }
    var next = 0
    func copy(to ordinal: Int) {
      let end = min(ordinal, old.fieldCount)
      guard next < end else { return }
      let (first, last) = (old.end(before: next), old.end(before: end))
      let shift = tableEnd + values.offset - first
      values.write(old.bytes.slice(first..<last).buffer)
      while next < end {
        let entry = old.bytes.load(at: tableStart + 4 * next, as: UInt32.self)
        note(next, entry & ~RecordFormat.endMask, end: Int(entry & RecordFormat.endMask) + shift)
        next += 1
      }
    }
    for write in writes {
      copy(to: write.ordinal)
      while next < write.ordinal {
        note(next, RecordFormat.unwrittenFlag, end: tableEnd + values.offset)
        next += 1
      }
      values.write(write.value)
      let flags = if case .null = write.value { RecordFormat.nullFlag } else { 0 as UInt32 }
      note(next, flags, end: tableEnd + values.offset)
      next += 1
    }
    copy(to: fieldCount)
    while next < fieldCount {
      note(next, RecordFormat.unwrittenFlag, end: tableEnd + values.offset)
      next += 1
    }
  }

  /// Which stamp each field names.
  private func writeNumbers(
    _ old: RecordView, _ writes: ArraySlice<FieldWrite>, _ fieldCount: Int, own: UInt8, to tail: inout ByteWriter
  ) {
    let start = tail.offset
    let oldNumbers = old.stampTableOffset - old.fieldCount
    for ordinal in 0..<fieldCount {
      let number = ordinal < old.fieldCount ? old.bytes.load(at: oldNumbers + ordinal, as: UInt8.self) : Self.unused
      tail.write(number == Self.unused ? Self.unused : numbers[Int(number)])
    }
    for write in writes { tail.patch(own, at: start + write.ordinal) }
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

  /// Numbers the stamps in the order in which fields, touch and delete first name them; returns the save's own.
  private mutating func number(stampsOf old: RecordView, _ writes: ArraySlice<FieldWrite>, _ fieldCount: Int) -> UInt8 {
    let oldStampCount = old.stampCount
    numbers.removeAll(keepingCapacity: true)
    for _ in 0..<oldStampCount { numbers.append(Self.unused) }
    stamps.removeAll(keepingCapacity: true)
    var own = Self.unused
    var next = writes.startIndex
    let oldNumbers = old.stampTableOffset - old.fieldCount
    for ordinal in 0..<fieldCount {
      if next < writes.endIndex, writes[next].ordinal == ordinal {
        next += 1
        guard own == Self.unused else { continue }
        own = UInt8(stamps.count)
        stamps.append(Self.unused)
      } else if ordinal < old.fieldCount {
        let number = old.bytes.load(at: oldNumbers + ordinal, as: UInt8.self)
        if number != Self.unused { note(Int(number)) }
      }
    }
    let deleted = Int(old.bytes.load(at: RecordFormat.deleteOffset, as: UInt16.self))
    if deleted != RecordFormat.noStamp { note(deleted) }
    return own
  }

  private mutating func note(_ number: Int) {
    guard numbers[number] == Self.unused else { return }
    numbers[number] = UInt8(truncatingIfNeeded: stamps.count)
    stamps.append(UInt8(truncatingIfNeeded: number))
  }

  private func payloadByteCount(_ old: RecordView, _ writes: ArraySlice<FieldWrite>) -> Int {
    var count = old.end(before: old.fieldCount) - old.end(before: 0)
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

extension RecordView {
  /// Where the values end that stand before a field's, of a record that was checked.
  fileprivate func end(before ordinal: Int) -> Int {
    Int(bytes.load(at: RecordFormat.endsOffset + 4 * ordinal, as: UInt32.self) & RecordFormat.endMask)
  }
}
