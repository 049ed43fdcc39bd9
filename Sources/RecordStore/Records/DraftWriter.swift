import Foundation

/// Writes the fields of one new record, rising by ordinal, into memory that ``RecordDrafts`` lends, each in one step
/// with its check: no list of fields stands between an object and its record's bytes.
///
/// Where the room ends it goes on counting: the record is then written again where there is enough. A pointer file: the
/// end of the room is compared once a field, in all builds.
package struct DraftWriter {
  private let layout: DraftLayout
  private let start: UnsafeMutableRawPointer
  private let room: Int
  /// The ordinal of the next field.
  private var next = 0
  /// Where the next field's payload begins.
  private var end: Int
  private var tableStart: Int { RecordFormat.headerByteCount }
  /// Whether a field stands there by default.
  private(set) var hasDefaults = false
  private var hasUnwritten = false

  init(_ layout: DraftLayout, _ buffer: UnsafeMutableRawBufferPointer, at start: UnsafeMutableRawPointer) {
    self.layout = layout
    self.start = start
    room = buffer.count
    end = RecordFormat.headerByteCount + 4 * layout.fieldCount
  }

  /// Writes one new record into memory that `lend` gives for at least so many bytes, and that is filled from its
  /// beginning. `fill` says whether it could write its fields, and may be asked twice.
  ///
  /// Nil, with nothing to keep, for what only the general way of a commit can judge: fields out of order, of a wrong
  /// type or missing, a record too large.
  @inline(__always)
  static func write(
    _ layout: DraftLayout, lend: (Int) -> UnsafeMutableRawBufferPointer, _ fill: (inout DraftWriter) throws -> Bool
  ) rethrows -> (start: UnsafeMutableRawPointer, count: Int, hasDefaults: Bool)? {
    var needed = RecordFormat.headerByteCount
    while true {
      let room = lend(needed)
      guard let start = room.baseAddress else { return nil }
      var writer = DraftWriter(layout, room, at: start)
      guard try fill(&writer), writer.finish() else { return nil }
      needed = writer.byteCount
      guard needed <= RecordFormat.maximumByteCount else { return nil }
      if needed > room.count { continue }
      writer.seal()
      return (start, needed, writer.hasDefaults)
    }
  }

  /// The next field that is given. False for what only the general way of a commit can judge: out of order, of a wrong
  /// type, null where it may not be.
  package mutating func write(_ ordinal: Int, _ value: FieldValue) -> Bool {
    while next < ordinal { guard skip() else { return false } }
    guard next == ordinal, ordinal < layout.fields.count else { return false }
    let field = layout.fields[ordinal]
    guard field.isDeclared, append(value, field) else { return false }
    next += 1
    return true
  }

  /// The next fields that are given, rising by ordinal; as ``write(_:_:)``.
  package mutating func write(_ fields: [FieldWrite]) -> Bool {
    for field in fields { guard write(field.ordinal, field.value) else { return false } }
    return true
  }

  /// A field that is not given: its default, or nothing.
  private mutating func skip() -> Bool {
    guard next < layout.fields.count else { return false }
    let field = layout.fields[next]
    if !field.isDeclared || field.isSparse {
      note(RecordFormat.unwrittenFlag)
      hasUnwritten = true
    } else {
      // The bit says so until the tail is written, and means nothing else in a new record.
      let mark = HistoryAndStamps.areKept ? RecordFormat.danglingFlag : 0
      guard append(layout.absent[next], field, mark) else { return false }
      hasDefaults = true
    }
    next += 1
    return true
  }

  /// The rest of the fields. False as with ``write(_:_:)``.
  mutating func finish() -> Bool {
    while next < layout.fields.count { guard skip() else { return false } }
    return true
  }

  /// How many bytes the record has, once finished.
  var byteCount: Int { end + HistoryAndStamps.byteCount(fieldCount: layout.fieldCount) }
}

// Values.
extension DraftWriter {
  @inline(__always)
  private mutating func append(_ value: FieldValue, _ field: DraftLayout.Field, _ flags: UInt32 = 0) -> Bool {
    switch value {
    case .null:
      guard field.isOptional else { return false }
      note(flags | RecordFormat.nullFlag)
      return true
    case .bool(let value):
      guard field.type == .bool else { return false }
      append(value ? 1 as UInt8 : 0)
    case .int(let value):
      guard field.type == .int else { return false }
      append(value)
    case .uint(let value):
      guard field.type == .uint else { return false }
      append(value)
    case .double(let value):
      guard field.type == .double else { return false }
      append(value.bitPattern)
    case .date(let value):
      guard field.type == .date else { return false }
      append(value.timeIntervalSinceReferenceDate.bitPattern)
    case .reference(let value):
      guard field.type == .reference else { return false }
      append(value.high.byteSwapped)
      append(value.low.byteSwapped)
    case .string(let text):
      guard field.type == .string else { return false }
      append(text)
    case .uuid(let value):
      guard field.type == .uuid else { return false }
      withUnsafeBytes(of: value.uuid) { append($0) }
    case .url, .decimal, .data, .composite:
      guard value.type == field.type, !field.keepsApart(value) else { return false }
      appendRare(value)
    }
    note(flags)
    return true
  }

  /// The field's end, and what is to be said of it.
  @inline(__always)
  private func note(_ flags: UInt32) {
    let place = tableStart + 4 * next
    guard place + 4 <= room else { return }
    start.storeBytes(
      of: (UInt32(truncatingIfNeeded: end) | flags).littleEndian, toByteOffset: place, as: UInt32.self)
  }

  @inline(__always)
  private mutating func append<Integer: FixedWidthInteger>(_ value: Integer) {
    let size = MemoryLayout<Integer>.size
    if end + size <= room { start.storeBytes(of: value.littleEndian, toByteOffset: end, as: Integer.self) }
    end += size
  }

  @inline(__always)
  private mutating func append(_ bytes: UnsafeRawBufferPointer) {
    if end + bytes.count <= room, let address = bytes.baseAddress {
      (start + end).copyMemory(from: address, byteCount: bytes.count)
    }
    end += bytes.count
  }

  private mutating func append(_ text: String) {
    // The text's own bytes, which it lends for the call if it is Swift's own.
    if text.utf8.withContiguousStorageIfAvailable({ append(UnsafeRawBufferPointer($0)) }) != nil { return }
    Array(text.utf8).withUnsafeBytes { append($0) }
  }

  private mutating func appendRare(_ value: FieldValue) {
    let count = value.encodedByteCount
    if end + count <= room {
      var writer = ByteWriter(UnsafeMutableRawBufferPointer(start: start + end, count: count))
      writer.write(value)
    }
    end += count
  }
}

extension DraftLayout.Field {
  /// Whether a value is to lie beside any store, which the general way of a commit sees to. A smaller one, which a
  /// store may be configured to keep apart too, the commit finds in the draft.
  fileprivate func keepsApart(_ value: FieldValue) -> Bool {
    guard isStoredExternally, case .data(let data) = value else { return false }
    return data.count >= ExternalReference.canonicalByteCount
  }
}

// The bytes around the values.
extension DraftWriter {
  /// Writes head and tail of a finished record, for which there is room.
  func seal() {
    let byteCount = byteCount
    precondition(byteCount <= room, "a record is longer than the room measured for it")
    let fieldCount = layout.fieldCount
    let areKept = HistoryAndStamps.areKept
    // Format u8, flags u8, fields u16, checksum u32 · length u32, entity u32 · stamps u16, of which one is that of the
    // touch u16, no delete u16, no once key u16 · end of the table u32.
    let none = UInt64(RecordFormat.noStamp)
    let words = (
      UInt64(RecordFormat.version) | UInt64(RecordFormat.insertedFlag) << 8 | UInt64(fieldCount) << 16,
      UInt64(UInt32(byteCount)) | UInt64(UInt32(layout.entity)) << 32,
      (areKept ? 1 : none << 16) | none << 32
    )
    start.storeBytes(of: words.0.littleEndian, as: UInt64.self)
    start.storeBytes(of: words.1.littleEndian, toByteOffset: 8, as: UInt64.self)
    start.storeBytes(of: words.2.littleEndian, toByteOffset: 16, as: UInt64.self)
    start.storeBytes(
      of: UInt32(tableStart + 4 * fieldCount).littleEndian, toByteOffset: RecordFormat.endsOffset, as: UInt32.self)
    if areKept { writeTail(fieldCount) }
  }

  /// The number of each field's stamp, and the stamp, which is zero so far.
  private func writeTail(_ fieldCount: Int) {
    let tail = UnsafeMutableRawBufferPointer(start: start + end, count: fieldCount + Stamp.byteCount)
    tail.initializeMemory(as: UInt8.self, repeating: RecordDrafts.givenNumber)
    guard hasDefaults || hasUnwritten else { return }
    for ordinal in 0..<fieldCount {
      let place = start + tableStart + 4 * ordinal
      let entry = UInt32(littleEndian: place.loadUnaligned(as: UInt32.self))
      if entry & RecordFormat.unwrittenFlag != 0 {
        tail[ordinal] = UInt8.max
      } else if entry & RecordFormat.danglingFlag != 0 {
        tail[ordinal] = RecordDrafts.defaultNumber
        place.storeBytes(of: (entry & ~RecordFormat.danglingFlag).littleEndian, as: UInt32.self)
      }
    }
  }
}
