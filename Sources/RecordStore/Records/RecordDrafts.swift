import LMDB

/// Records on their way into the store, in the bytes that they will have there, one after another in large pieces of
/// memory: a save of many makes a few allocations and no value per field.
///
/// A new record is a *draft*: all fields are there, by default where none was given, unless they are sparse; its one
/// stamp is zero, and each field that stands there by default names stamp 1, which does not exist. The commit, which
/// knows the stamp, puts both right on the way into the page (``finish(_:stamp:into:)``). A rewritten record is
/// complete.
///
/// A pointer file: records are written into memory that is lent for the moment, this value's own or a page.
package struct RecordDrafts: Sendable, Hashable {
  struct Entry: Hashable {
    let id: RecordID
    let entity: UInt32
    let piece: UInt32
    let start: UInt32
    let count: UInt32
    /// A new record; otherwise a rewritten one.
    let isNew: Bool
  }

  private(set) var entries: [Entry] = []
  private var full: [[UInt8]] = []
  private var current: [UInt8] = []
  private var used = 0
  /// Of each entity that has records here.
  private(set) var layouts: [EntityNumber: DraftLayout] = [:]
  /// That of the last new record, and mostly of the next.
  private var newest: DraftLayout?

  package init() {}

  package var count: Int { entries.count }

  private static let smallestPiece = 1 << 11
  // Below what the C library maps and unmaps each time.
  private static let largestPiece = 1 << 16

  package mutating func reserve(_ count: Int) { entries.reserveCapacity(count) }

  /// Adds a new record with the given fields, rising by ordinal. False, with nothing changed, for what only the general
  /// way of a commit can judge: fields out of order, of a wrong type or missing, a record too large.
  package mutating func append(_ id: RecordID, _ layout: DraftLayout, _ fields: [FieldWrite]) -> Bool {
    guard let payload = layout.payloadByteCount(of: fields) else { return false }
    if newest !== layout {
      guard layouts[layout.entity].map({ $0 == layout }) ?? true else { return false }
      layouts[layout.entity] = layout
      newest = layout
    }
    let stamps = HistoryAndStamps.byteCount(fieldCount: layout.fieldCount)
    let count = RecordFormat.headerByteCount + 4 * layout.fieldCount + payload + stamps
    guard count <= RecordFormat.maximumByteCount else { return false }
    add(id, layout.entity, count, isNew: true) { buffer in
      DraftLayout.write(fields, layout, count: count, payload: payload, into: buffer)
    }
    return true
  }

  /// Adds a record of a measured size. `fill` writes every byte.
  mutating func add(
    _ id: RecordID, _ entity: EntityNumber, _ count: Int, isNew: Bool,
    // Memory of this value's own, which `fill` must not keep.
    _ fill: (UnsafeMutableRawBufferPointer) -> Void
  ) {
    if used + count > current.count { beginPiece(count) }
    let start = used
    current.withUnsafeMutableBytes { fill(UnsafeMutableRawBufferPointer(rebasing: $0[start..<start + count])) }
    used += count
    entries.append(
      Entry(
        id: id, entity: UInt32(entity), piece: UInt32(full.count), start: UInt32(start), count: UInt32(count),
        isNew: isNew))
  }

  /// Pieces grow with what is there, so that a save of one record takes little.
  private mutating func beginPiece(_ count: Int) {
    let size = min(Self.largestPiece, max(Self.smallestPiece, 2 * current.count))
    if !current.isEmpty { full.append(current) }
    current = [UInt8](repeating: 0, count: max(size, count))
    used = 0
  }

  /// Lends a record's bytes.
  func withBytes<Result>(of entry: Entry, _ body: (RawBytes) throws -> Result) rethrows -> Result {
    func slice(_ piece: [UInt8]) throws -> Result {
      try piece.withUnsafeBytes { bytes in
        try body(RawBytes(bytes).slice(Int(entry.start)..<Int(entry.start + entry.count)))
      }
    }
    return Int(entry.piece) < full.count ? try slice(full[Int(entry.piece)]) : try slice(current)
  }
}

// A record's fields.
extension DraftLayout {
  /// How many bytes the fields take, defaults included; nil where a field is out of order, of a wrong type or missing.
  fileprivate func payloadByteCount(of fields: [FieldWrite]) -> Int? {
    var count = 0
    var next = 0
    for ordinal in types.indices where isDeclared[ordinal] {
      if next < fields.count, fields[next].ordinal == ordinal {
        guard let size = byteCount(of: fields[next].value, ordinal) else { return nil }
        count += size
        next += 1
      } else if !isSparse[ordinal] {
        guard let size = byteCount(of: absent[ordinal], ordinal) else { return nil }
        count += size
      }
    }
    return next == fields.count ? count : nil
  }

  private func byteCount(of value: FieldValue, _ ordinal: Int) -> Int? {
    guard let type = value.type else { return isOptional[ordinal] ? 0 : nil }
    return type == types[ordinal] ? value.encodedByteCount : nil
  }

  /// Writes a draft of a measured size.
  fileprivate static func write(
    _ fields: [FieldWrite], _ layout: DraftLayout, count: Int, payload: Int,
    into buffer: UnsafeMutableRawBufferPointer
  ) {
    let fieldCount = layout.fieldCount
    let tableEnd = RecordFormat.headerByteCount + 4 * fieldCount
    let payloadEnd = tableEnd + payload
    var head = ByteWriter(UnsafeMutableRawBufferPointer(rebasing: buffer[..<tableEnd]))
    var values = ByteWriter(UnsafeMutableRawBufferPointer(rebasing: buffer[tableEnd..<payloadEnd]))
    var tail = ByteWriter(UnsafeMutableRawBufferPointer(rebasing: buffer[payloadEnd...]))
    head.writeDraftHeader(fieldCount: fieldCount, count: count, entity: layout.entity)
    var next = 0
    for ordinal in 0..<fieldCount {
      let isGiven = next < fields.count && fields[next].ordinal == ordinal
      guard layout.isDeclared[ordinal], isGiven || !layout.isSparse[ordinal] else {
        head.write(UInt32(tableEnd + values.offset) | RecordFormat.unwrittenFlag)
        if HistoryAndStamps.areKept { tail.write(UInt8.max) }
        continue
      }
      let isNull = isGiven ? values.writeField(fields[next].value) : values.writeField(layout.absent[ordinal])
      if isGiven { next += 1 }
      head.write(UInt32(tableEnd + values.offset) | (isNull ? RecordFormat.nullFlag : 0))
      if HistoryAndStamps.areKept { tail.write(isGiven ? RecordDrafts.givenNumber : RecordDrafts.defaultNumber) }
    }
    if HistoryAndStamps.areKept { tail.write(Stamp.zero) }
  }
}

extension ByteWriter {
  fileprivate mutating func writeDraftHeader(fieldCount: Int, count: Int, entity: EntityNumber) {
    write(RecordFormat.version)
    write(RecordFormat.insertedFlag)
    write(UInt16(fieldCount))
    write(0 as UInt32)
    write(UInt32(count))
    write(UInt32(entity))
    // One stamp, which is that of the touch; no delete, no once key.
    write(HistoryAndStamps.areKept ? 1 as UInt16 : 0)
    write(HistoryAndStamps.areKept ? 0 : UInt16(RecordFormat.noStamp))
    write(UInt16(RecordFormat.noStamp))
    write(0 as UInt16)
    write(UInt32(RecordFormat.headerByteCount + 4 * fieldCount))
  }

  /// True for null.
  fileprivate mutating func writeField(_ value: FieldValue) -> Bool {
    if case .null = value { return true }
    write(value)
    return false
  }
}

// Into the page.
extension RecordDrafts {
  static let givenNumber: UInt8 = 0
  static let defaultNumber: UInt8 = 1

  /// Writes a record as the store keeps it: of a draft the stamp and the checksum are filled in.
  func finish(_ entry: Entry, stamp: Stamp, into buffer: UnsafeMutableRawBufferPointer) {
    withBytes(of: entry) { bytes in
      buffer.copyMemory(from: bytes.buffer)
      guard entry.isNew else { return }
      if HistoryAndStamps.areKept { Self.write(stamp, into: buffer) }
      let checksum = RecordFormat.checksum(
        RawBytes(UnsafeRawBufferPointer(buffer)), id: entry.id, entity: EntityNumber(entry.entity))
      buffer.storeBytes(of: checksum.littleEndian, toByteOffset: RecordFormat.checksumOffset, as: UInt32.self)
    }
  }

  /// The stamp of a new record, and its number where the draft names that of a default.
  private static func write(_ stamp: Stamp, into record: UnsafeMutableRawBufferPointer) {
    let stampStart = record.count - Stamp.byteCount
    let fieldCount = Int(
      RawBytes(UnsafeRawBufferPointer(record)).load(at: RecordFormat.fieldCountOffset, as: UInt16.self))
    for place in stampStart - fieldCount..<stampStart where record[place] == defaultNumber {
      record[place] = givenNumber
    }
    var tail = ByteWriter(UnsafeMutableRawBufferPointer(rebasing: record[stampStart...]))
    tail.write(stamp)
  }

  /// The drafts as changes of a request, with the fields that were given.
  package var changes: [RecordChange] {
    entries.filter(\.isNew).map { entry in
      let entity = EntityNumber(entry.entity)
      guard let layout = layouts[entity] else { preconditionFailure("each draft was added with its layout") }
      let fields = withBytes(of: entry) { bytes in
        let view = RecordView(bytes)
        let numbers = bytes.count - Stamp.byteCount - layout.fieldCount
        return (0..<layout.fieldCount).compactMap { ordinal -> FieldWrite? in
          guard bytes.load(at: numbers + ordinal, as: UInt8.self) == Self.givenNumber else { return nil }
          return FieldWrite(ordinal, view.value(at: ordinal, type: layout.types[ordinal]))
        }
      }
      return .insert(entity: entity, id: entry.id, fields: fields)
    }
  }
}
