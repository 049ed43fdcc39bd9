/// What a write transaction does to its databases, in order, for the redo log.
///
/// ```
/// name    1 · handle u32 · count u16 · name      before a handle's first use
/// put     2 · handle u32 · count u16 · key · count u32 · value
/// delete  3 · handle u32 · count u16 · key
/// empty   4 · handle u32
/// create  5 · handle u32
/// ```
/// Handles are those of the process that wrote; the main database has the empty name.
///
/// A pointer file: each write of a transaction passes here, and an array that grows by a number at a time would cost as
/// much as the write.
@usableFromInline
struct RedoChanges {
  /// More is no small save: two flushes cost it less than another copy of its bytes.
  static let limitBytes = 192 << 10

  enum Kind: UInt8 {
    case name = 1
    case put
    case delete
    case empty
    case create
  }

  private struct Name {
    var handle: UInt32
    var offset: Int
  }

  /// Its first ``count`` bytes count.
  private var room: [UInt8] = []
  /// A place to return to, when what follows is undone.
  private(set) var count = 0
  private var names: [Name] = []
  private var lastHandle: UInt32?
  private var lastOffset = 0
  /// False from the change on that is one too many, or that failed; then nothing more is kept.
  private(set) var isComplete = true

  var bytes: ArraySlice<UInt8> { room[..<count] }

  mutating func removeAll() {
    count = 0
    names.removeAll(keepingCapacity: true)
    lastHandle = nil
    isComplete = true
  }

  mutating func removeAll(after count: Int) {
    guard isComplete else { return }
    self.count = count
    names.removeAll { $0.offset >= count }
    lastHandle = nil
  }

  /// `append(value:)` follows.
  mutating func put(_ database: Database, _ key: RawBytes, count valueCount: Int) {
    begin(.put, database, count: key.count + valueCount)
    append(key: key)
    append(UInt32(truncatingIfNeeded: valueCount))
  }

  mutating func append(value: RawBytes) { append(value.buffer) }

  /// After something else went wrong: who catches that and goes on does not get it logged.
  mutating func giveUp() { isComplete = false }

  /// Takes the last change back.
  mutating func removeLast() { if isComplete { count = lastOffset } }

  mutating func delete(_ database: Database, _ key: RawBytes) {
    begin(.delete, database, count: key.count)
    append(key: key)
  }

  mutating func empty(_ database: Database) { begin(.empty, database, count: 0) }

  mutating func create(_ database: Database) { begin(.create, database, count: 0) }
}

// Bytes.
extension RedoChanges {
  /// Sees to room for a change with so many bytes of key and value.
  private mutating func begin(_ kind: Kind, _ database: Database, count wanted: Int) {
    // What precedes key and value, a name included, takes less than a thousand bytes.
    let end = count + wanted + 1000
    if end > Self.limitBytes { isComplete = false }
    guard isComplete else { return }
    if end > room.count { room += repeatElement(0, count: end) }
    if lastHandle != database.handle { name(database) }
    lastOffset = count
    append(kind.rawValue)
    append(database.handle)
  }

  private mutating func name(_ database: Database) {
    lastHandle = database.handle
    if names.contains(where: { $0.handle == database.handle }) { return }
    names.append(Name(handle: database.handle, offset: count))
    let name = database.handle == Database.main.handle ? [] : Array(database.name.utf8)
    append(Kind.name.rawValue)
    append(database.handle)
    append(UInt16(name.count))
    name.withUnsafeBytes { append($0) }
  }

  private mutating func append(key: RawBytes) {
    append(UInt16(truncatingIfNeeded: key.count))
    append(key.buffer)
  }

  private mutating func append<Integer: FixedWidthInteger>(_ value: Integer) {
    guard isComplete else { return }
    room.withUnsafeMutableBytes { $0.storeBytes(of: value.littleEndian, toByteOffset: count, as: Integer.self) }
    count += MemoryLayout<Integer>.size
  }

  private mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard isComplete else { return }
    room.withUnsafeMutableBytes { room in
      UnsafeMutableRawBufferPointer(rebasing: room[count..<count + bytes.count]).copyMemory(from: bytes)
    }
    count += bytes.count
  }
}
