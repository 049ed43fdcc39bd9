import LMDB

/// The plan of one record's bytes: measured first, so that the room can be reserved, then written in one pass.
///
/// ```
/// let encoding = try RecordEncoding(facts, fieldCount: entity.fields.count)
/// try transaction.reserve(table, key: key, count: encoding.byteCount) { encoding.write(into: $0) }
/// ```
/// Equal facts give equal bytes: stamps stand in the order in which fields, touch and delete first name them; those
/// that once inserts gave stand behind all others, in a list of their own.
package struct RecordEncoding {
  package let facts: RecordFacts
  /// Ordinals of references to records that are not visible: they read as nil, the register keeps the id.
  package let dangling: [Int]
  /// How many fields the record has room for; never below the greatest register's ordinal + 1.
  package let fieldCount: Int
  package let byteCount: Int
  private let stamps: [Stamp]
  private let onceStamps: [Stamp]
  private let stampCount: Int

  /// Throws `invalidRequest` when the record passes a limit of the format: 65,535 fields, 512 MiB.
  package init(_ facts: RecordFacts, fieldCount: Int = 0, dangling: [Int] = []) throws {
    self.facts = facts
    self.dangling = dangling
    self.fieldCount = max(fieldCount, (facts.registers.last?.ordinal ?? -1) + 1)
    stamps = RecordEncoding.distinctStamps(of: facts)
    onceStamps = RecordEncoding.distinctOnceStamps(of: facts)
    stampCount = stamps.count + onceStamps.count
    var payloadByteCount = 0
    for index in facts.registers.indices { payloadByteCount += facts.registers[index].value.encodedByteCount }
    let width = stampCount > RecordFormat.maximumNarrowStampCount ? 2 : 1
    let onceCount = facts.onceInserts.count
    byteCount =
      RecordFormat.headerByteCount + (4 + width) * self.fieldCount + payloadByteCount + stampCount * Stamp.byteCount
      + (onceCount == 0 ? 0 : RecordFormat.onceInsertByteCount * onceCount + 2)
    guard self.fieldCount <= RecordFormat.maximumFieldCount, stampCount <= RecordFormat.maximumStampCount,
      onceCount <= RecordFormat.maximumStampCount,
      byteCount <= RecordFormat.maximumByteCount, facts.entity <= UInt32.max
    else {
      throw StoreError(
        .invalidRequest,
        "record \(facts.id) is too large to store (\(byteCount) bytes, \(self.fieldCount) fields): split it, "
          + "or store large values externally")
    }
  }

  /// Almost every record has one or two, so a linear search from the newest beats a table.
  private static func distinctStamps(of facts: RecordFacts) -> [Stamp] {
    var stamps: [Stamp] = []
    for index in facts.registers.indices where !facts.registers[index].isOnce {
      let stamp = facts.registers[index].stamp
      if stamps.last != stamp, !stamps.contains(stamp) { stamps.append(stamp) }
    }
    if let stamp = facts.touch, !stamps.contains(stamp) { stamps.append(stamp) }
    if let stamp = facts.deleted, !stamps.contains(stamp) { stamps.append(stamp) }
    return stamps
  }

  private static func distinctOnceStamps(of facts: RecordFacts) -> [Stamp] {
    guard !facts.onceInserts.isEmpty else { return [] }
    var stamps: [Stamp] = []
    for register in facts.registers where register.isOnce && !stamps.contains(register.stamp) {
      stamps.append(register.stamp)
    }
    for insert in facts.onceInserts where !stamps.contains(insert.stamp) { stamps.append(insert.stamp) }
    return stamps
  }

  private var isWide: Bool { stampCount > RecordFormat.maximumNarrowStampCount }

  /// Fills `buffer`, which must have room for ``byteCount`` bytes: the pointer is that of a reserved page.
  package func write(into buffer: UnsafeMutableRawBufferPointer) {
    var writer = ByteWriter(buffer)
    writeHeader(to: &writer)
    writeFieldTable(to: &writer)
    // By their places, here as below: an element copied counts the references of its value.
    for index in facts.registers.indices { writer.write(facts.registers[index].value) }
    writeStampNumbers(to: &writer)
    for stamp in stamps { writer.write(stamp) }
    for stamp in onceStamps { writer.write(stamp) }
    writeOnceInserts(to: &writer)
    let checksum = RecordFormat.checksum(RawBytes(writer.written), id: facts.id, entity: facts.entity)
    writer.patch(checksum, at: RecordFormat.checksumOffset)
  }

  /// The record as an array: one allocation.
  package func bytes() -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
      write(into: UnsafeMutableRawBufferPointer(buffer))
      count = byteCount
    }
  }

  private func writeHeader(to writer: inout ByteWriter) {
    writer.write(facts.onceInserts.isEmpty ? RecordFormat.version : RecordFormat.onceVersion)
    writer.write((facts.isInserted ? RecordFormat.insertedFlag : 0) | (isWide ? RecordFormat.wideFlag : 0))
    writer.write(UInt16(fieldCount))
    writer.write(0 as UInt32)
    writer.write(UInt32(byteCount))
    writer.write(UInt32(facts.entity))
    writer.write(UInt16(stampCount))
    writer.write(number(of: facts.touch))
    writer.write(number(of: facts.deleted))
    writer.write(UInt16(facts.onceInserts.count))
    writer.write(UInt32(RecordFormat.headerByteCount + 4 * fieldCount))
  }

  private func writeFieldTable(to writer: inout ByteWriter) {
    var end = UInt32(RecordFormat.headerByteCount + 4 * fieldCount)
    var next = 0
    for index in facts.registers.indices {
      let ordinal = facts.registers[index].ordinal
      while next < ordinal {
        writer.write(end | RecordFormat.unwrittenFlag)
        next += 1
      }
      end += UInt32(facts.registers[index].value.encodedByteCount)
      writer.write(end | flags(at: index))
      next += 1
    }
    while next < fieldCount {
      writer.write(end | RecordFormat.unwrittenFlag)
      next += 1
    }
  }

  private func flags(at index: Int) -> UInt32 {
    if case .null = facts.registers[index].value { return RecordFormat.nullFlag }
    return !dangling.isEmpty && dangling.contains(facts.registers[index].ordinal) ? RecordFormat.danglingFlag : 0
  }

  private func writeStampNumbers(to writer: inout ByteWriter) {
    var next = 0
    for index in facts.registers.indices {
      let (ordinal, stamp) = (facts.registers[index].ordinal, facts.registers[index].stamp)
      while next < ordinal {
        writeStampNumber(RecordFormat.noStamp, to: &writer)
        next += 1
      }
      let number = facts.registers[index].isOnce ? onceNumber(of: stamp) : number(of: stamp)
      writeStampNumber(Int(number), to: &writer)
      next += 1
    }
    while next < fieldCount {
      writeStampNumber(RecordFormat.noStamp, to: &writer)
      next += 1
    }
  }

  private func writeStampNumber(_ number: Int, to writer: inout ByteWriter) {
    // "None" is all ones in either width.
    if isWide { writer.write(UInt16(number)) } else { writer.write(UInt8(truncatingIfNeeded: number)) }
  }

  private func writeOnceInserts(to writer: inout ByteWriter) {
    guard !facts.onceInserts.isEmpty else { return }
    for insert in facts.onceInserts {
      writer.write(insert.keyHash)
      writer.write(onceNumber(of: insert.stamp))
    }
    writer.write(UInt16(stamps.count))
  }

  private func onceNumber(of stamp: Stamp) -> UInt16 {
    guard let index = onceStamps.firstIndex(of: stamp) else {
      preconditionFailure("a register of a once insert belongs to a record that names the once key")
    }
    return UInt16(stamps.count + index)
  }

  private func number(of stamp: Stamp?) -> UInt16 {
    guard let stamp else { return UInt16(RecordFormat.noStamp) }
    guard let index = stamps.firstIndex(of: stamp) else {
      preconditionFailure("every stamp of the facts is in the table made from them")
    }
    return UInt16(index)
  }
}
