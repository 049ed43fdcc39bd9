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

  private(set) var bytes: [UInt8] = []
  private var names: [Name] = []
  private var lastOffset = 0
  /// False from the change on that is one too many, or that failed; then nothing more is kept.
  private(set) var isComplete = true

  /// A place to return to, when what follows is undone.
  var count: Int { bytes.count }

  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    names.removeAll(keepingCapacity: true)
    isComplete = true
  }

  mutating func removeAll(after count: Int) {
    guard isComplete else { return }
    bytes.removeLast(bytes.count - count)
    names.removeAll { $0.offset >= count }
  }

  /// `append(value:)` follows.
  mutating func put(_ database: Database, _ key: RawBytes, count: Int) {
    guard hasRoom(key.count + count) else { return }
    begin(.put, database)
    append(key: key)
    bytes.append(littleEndian: UInt32(count))
  }

  mutating func append(value: RawBytes) {
    if isComplete { bytes.append(contentsOf: value.buffer) }
  }

  /// After something else went wrong: who catches that and goes on does not get it logged.
  mutating func giveUp() { isComplete = false }

  /// Takes the last change back.
  mutating func removeLast() {
    if isComplete { bytes.removeLast(bytes.count - lastOffset) }
  }

  mutating func delete(_ database: Database, _ key: RawBytes) {
    guard hasRoom(key.count) else { return }
    begin(.delete, database)
    append(key: key)
  }

  mutating func empty(_ database: Database) {
    guard hasRoom(0) else { return }
    begin(.empty, database)
  }

  mutating func create(_ database: Database) {
    guard hasRoom(0) else { return }
    begin(.create, database)
  }

  private mutating func hasRoom(_ count: Int) -> Bool {
    // What precedes key and value, a name included, takes less than a thousand bytes.
    if bytes.count + count + 1000 > Self.limitBytes { isComplete = false }
    return isComplete
  }

  private mutating func begin(_ kind: Kind, _ database: Database) {
    if !names.contains(where: { $0.handle == database.handle }) {
      names.append(Name(handle: database.handle, offset: bytes.count))
      let name = database.handle == Database.main.handle ? [] : Array(database.name.utf8)
      begin(.name, database.handle)
      bytes.append(littleEndian: UInt16(name.count))
      bytes += name
    }
    lastOffset = bytes.count
    begin(kind, database.handle)
  }

  private mutating func begin(_ kind: Kind, _ handle: UInt32) {
    bytes.append(kind.rawValue)
    bytes.append(littleEndian: handle)
  }

  private mutating func append(key: RawBytes) {
    bytes.append(littleEndian: UInt16(key.count))
    bytes.append(contentsOf: key.buffer)
  }
}
