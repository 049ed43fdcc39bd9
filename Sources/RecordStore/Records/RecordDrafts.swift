import LMDB

/// Records on their way into the store, in the bytes that they will have there, one after another in large pieces of
/// memory: a save of many makes a few allocations and no value per field.
///
/// A new record is a *draft*: all fields are there, by default where none was given, unless they are sparse; its one
/// stamp is zero, and each field that stands there by default names stamp 1, which does not exist. The commit, which
/// knows the stamp, puts both right on the way into the page (``finish(_:stamp:into:)``). Any other record is complete:
/// a rewritten one, and a new one that another device made.
///
/// A pointer file: records are written into memory that is lent for the moment, this value's own or a page.
package struct RecordDrafts: Sendable {
  /// A record, valid as long as the drafts.
  // @unchecked: the address is that of memory that the drafts keep, and that nobody changes once the entry is there.
  struct Entry: @unchecked Sendable {
    let id: RecordID
    fileprivate let start: UnsafeRawPointer
    let count: UInt32
    let entity: UInt32
    /// A new record; otherwise a rewritten one.
    let isNew: Bool
    /// Whether it is a draft, that waits for its stamp.
    fileprivate let isDraft: Bool
    /// Whether fields of a draft may stand there by default.
    fileprivate let hasDefaults: Bool
    /// The record's bytes, for as long.
    var bytes: RawBytes { RawBytes(start: start, count: Int(count)) }
  }

  private(set) var entries: [Entry] = []
  /// Memory that is full, or was filled elsewhere.
  private var kept: [DraftMemory.Piece] = []
  private var current: DraftMemory.Piece?
  /// How much of ``current`` is filled.
  private var used = 0
  /// The layout of each entity that has records here.
  private(set) var layouts: [EntityNumber: DraftLayout] = [:]
  /// The layout of the last new record, and mostly of the next.
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
    append(id, layout) { $0.write(fields) }
  }

  /// As ``append(_:_:_:)`` with fields that `fill` writes; it says whether it could, and may be asked twice.
  package mutating func append(
    _ id: RecordID, _ layout: DraftLayout, _ fill: (inout DraftWriter) throws -> Bool
  ) rethrows -> Bool {
    guard newest === layout || note(layout),
      let draft = try DraftWriter.write(layout, lend: { lend($0) }, fill)
    else { return false }
    used += draft.count
    entries.append(
      Entry(
        id: id, start: UnsafeRawPointer(draft.start), count: UInt32(draft.count), entity: UInt32(layout.entity),
        isNew: true, isDraft: true, hasDefaults: draft.hasDefaults))
    return true
  }

  /// Adds a new record whose draft lies in a piece of other memory, which these drafts keep from now on. False, with
  /// nothing changed, where the records of its entity have another layout here.
  package mutating func append(
    _ id: RecordID, _ layout: DraftLayout, _ draft: RecordView, in piece: DraftMemory.Piece
  ) -> Bool {
    guard newest === layout || note(layout) else { return false }
    if kept.last !== piece { kept.append(piece) }
    // Whether it has defaults is not known here, and asked of its fields when it is finished.
    entries.append(
      Entry(
        id: id, start: draft.bytes.start, count: UInt32(draft.bytes.count), entity: UInt32(layout.entity), isNew: true,
        isDraft: true, hasDefaults: true))
    return true
  }

  /// Keeps the memory of other drafts, so that ``append(_:of:)`` can take of these. False, with nothing taken, where
  /// the records of an entity have another layout here.
  package mutating func keepMemory(of other: RecordDrafts) -> Bool {
    for layout in other.layouts.values where !note(layout) { return false }
    kept += other.kept
    if let current = other.current { kept.append(current) }
    return true
  }

  /// Adds records of drafts whose memory these keep.
  package mutating func append(_ range: Range<Int>, of other: RecordDrafts) { entries += other.entries[range] }

  /// Lends drafts that were all added with the memory that they lie in, in their order, each with its piece of that.
  package func forEachDraft(_ body: (RecordID, EntityNumber, RecordView, DraftMemory.Piece) -> Void) {
    var place = 0
    for entry in entries {
      while !kept[place].holds(entry.start) { place += 1 }
      body(entry.id, EntityNumber(entry.entity), RecordView(entry.bytes), kept[place])
    }
  }

  private mutating func note(_ layout: DraftLayout) -> Bool {
    guard layouts[layout.entity].map({ $0 == layout }) ?? true else { return false }
    layouts[layout.entity] = layout
    newest = layout
    return true
  }

  /// Adds a complete record of a measured size. `fill` writes every byte.
  mutating func add(
    _ id: RecordID, _ entity: EntityNumber, _ count: Int, isNew: Bool,
    // Memory of this value's own, which `fill` must not keep.
    _ fill: (UnsafeMutableRawBufferPointer) -> Void
  ) {
    let room = lend(count)
    guard let start = room.baseAddress else { preconditionFailure("a record has bytes") }
    fill(UnsafeMutableRawBufferPointer(start: start, count: count))
    used += count
    entries.append(
      Entry(
        id: id, start: UnsafeRawPointer(start), count: UInt32(count), entity: UInt32(entity), isNew: isNew,
        isDraft: false, hasDefaults: false))
  }

  /// Leaves entries out. Their memory stays.
  mutating func removeEntries(at places: some Sequence<Int>) {
    let removed = Set(places)
    entries = entries.indices.filter { !removed.contains($0) }.map { entries[$0] }
  }

  /// Memory for a record of at least so many bytes, which nobody else can fill.
  private mutating func lend(_ count: Int) -> UnsafeMutableRawBufferPointer {
    if isKnownUniquelyReferenced(&current), let current, used + count <= current.bytes.count {
      return UnsafeMutableRawBufferPointer(rebasing: current.bytes[used...])
    }
    // Pieces grow with what is there, so that a save of one record takes little.
    let size = min(Self.largestPiece, max(Self.smallestPiece, 2 * (current?.bytes.count ?? 0)))
    if let current { kept.append(current) }
    let piece = DraftMemory.Piece(max(size, count))
    current = piece
    used = 0
    return piece.bytes
  }

  /// Lends a record's bytes.
  @inline(__always)
  func withBytes<Result>(of entry: Entry, _ body: (RawBytes) throws -> Result) rethrows -> Result {
    // This value, which is lent to this call, keeps the memory.
    try body(entry.bytes)
  }
}

extension RecordDrafts: Hashable {
  package static func == (left: RecordDrafts, right: RecordDrafts) -> Bool {
    left.layouts == right.layouts && left.entries.count == right.entries.count
      && zip(left.entries, right.entries).allSatisfy { one, other in
        one.id == other.id && one.entity == other.entity && one.isNew == other.isNew
          && left.withBytes(of: one) { one in right.withBytes(of: other) { one == $0 } }
      }
  }

  package func hash(into hasher: inout Hasher) {
    for entry in entries { hasher.combine(entry.id) }
  }
}

// Into the page.
extension RecordDrafts {
  static let givenNumber: UInt8 = 0
  static let defaultNumber: UInt8 = 1

  /// Writes a record as the store keeps it: of a draft the stamp and the checksum are filled in.
  static func finish(_ entry: Entry, stamp: Stamp, into buffer: UnsafeMutableRawBufferPointer) {
    buffer.copyMemory(from: entry.bytes.buffer)
    guard entry.isDraft else { return }
    if HistoryAndStamps.areKept { Self.write(stamp, into: buffer, hasDefaults: entry.hasDefaults) }
    let checksum = RecordFormat.checksum(
      RawBytes(UnsafeRawBufferPointer(buffer)), id: entry.id, entity: EntityNumber(entry.entity))
    buffer.storeBytes(of: checksum.littleEndian, toByteOffset: RecordFormat.checksumOffset, as: UInt32.self)
  }

  /// A record as ``finish(_:stamp:into:)`` writes it.
  static func finished(_ entry: Entry, stamp: Stamp) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: Int(entry.count)) { buffer, count in
      finish(entry, stamp: stamp, into: UnsafeMutableRawBufferPointer(buffer))
      count = Int(entry.count)
    }
  }

  /// The stamp of a new record, and its number where the draft names that of a default.
  private static func write(_ stamp: Stamp, into record: UnsafeMutableRawBufferPointer, hasDefaults: Bool) {
    let stampStart = record.count - Stamp.byteCount
    if hasDefaults {
      let fieldCount = Int(
        RawBytes(UnsafeRawBufferPointer(record)).load(at: RecordFormat.fieldCountOffset, as: UInt16.self))
      for place in stampStart - fieldCount..<stampStart where record[place] == defaultNumber {
        record[place] = givenNumber
      }
    }
    var tail = ByteWriter(UnsafeMutableRawBufferPointer(rebasing: record[stampStart...]))
    tail.write(stamp)
  }

  /// The drafts as changes of a request, with the fields that were given.
  package var changes: [RecordChange] { entries.indices.filter { entries[$0].isNew }.map(change) }

  /// One of them.
  func change(at index: Int) -> RecordChange {
    let entry = entries[index]
    let entity = EntityNumber(entry.entity)
    guard let layout = layouts[entity] else { preconditionFailure("each draft was added with its layout") }
    let fields = withBytes(of: entry) { bytes in
      let view = RecordView(bytes)
      return (0..<layout.fieldCount).compactMap { ordinal -> FieldWrite? in
        guard view.isGiven(at: ordinal) else { return nil }
        return FieldWrite(ordinal, view.storedValue(at: ordinal, type: layout.types[ordinal]))
      }
    }
    return .insert(entity: entity, id: entry.id, fields: fields)
  }
}

extension RecordView {
  /// Whether a field of a draft was given, and does not stand there by default or not at all.
  package func isGiven(at ordinal: Int) -> Bool {
    guard HistoryAndStamps.areKept else { return true }
    let numbers = bytes.count - Stamp.byteCount - fieldCount
    return bytes.load(at: numbers + ordinal, as: UInt8.self) == RecordDrafts.givenNumber
  }
}
