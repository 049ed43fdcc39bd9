import CLMDB
import ForeignLayouts

/// The room that LMDB keeps in a write transaction for further dirty pages.
///
/// LMDB holds the pages that a transaction has changed in memory, and writes some of them to the file once there are
/// 131,071: 512 MiB. It has no call for a smaller number. So a part of the room is withheld from it where it counts
/// what is left. LMDB then writes pages sooner, by the same code, and reads them again if they change once more.
/// Nobody sees such pages before the commit: no page of an earlier state is among them.
///
/// A bet on LMDB (``ForeignLayout/dirtyPages``): behind 14 words, two numbers and flags, its structure has what is left
/// of the room (`mdb.c` of LMDB 0.9, struct `MDB_txn`, on 64 bits). Any later LMDB may end that. ``test`` looks at it
/// before the first use. Where it is not so, and where the bet is turned off, LMDB's own bound holds.
///
/// A pointer file: it reads and writes LMDB's own structure.
struct DirtyPageRoom {
  /// `MDB_IDL_UM_MAX`: the room of a transaction that has changed nothing.
  static let whole: UInt32 = (1 << 17) - 1
  /// An operation asks for room for some pages. Less than this would refuse one that LMDB can carry out.
  static let least: UInt32 = 256

  private static let parentField = 0
  private static let numberField = 3
  private static let environmentField = 4
  /// In units of four bytes.
  private static let roomField = 32

  private static let test = LayoutTest(of: .dirtyPages)

  private let maximum: UInt32
  /// The part that LMDB does not know of.
  private(set) var withheld: UInt32 = 0

  /// `maximum`: how many dirty pages a transaction shall have at most.
  init(maximum: Int) { self.maximum = UInt32(min(max(maximum, Int(Self.least)), Int(Self.whole))) }

  /// Leaves an outermost transaction the room that it has within the maximum.
  mutating func withhold(from transaction: OpaquePointer) {
    assert(withheld == 0, "room is withheld twice")
    guard maximum < Self.whole, Self.test.passes({ Self.agrees(transaction) }) else { return }
    let room = Self.room(of: transaction)
    let left = max(room.pointee - min(room.pointee, Self.whole - maximum), min(room.pointee, Self.least))
    withheld = room.pointee - left
    room.pointee = left
  }

  /// Must be called before anything but changes to the transaction: LMDB counts its pages by the room.
  mutating func giveBack(to transaction: OpaquePointer) {
    guard withheld > 0 else { return }
    Self.room(of: transaction).pointee += withheld
    withheld = 0
  }

  /// Whether LMDB counts the room down where it is read. Changes nothing: what is tried is undone.
  private static func agrees(_ transaction: OpaquePointer) -> Bool {
    guard MemoryLayout<Int>.size == 8, isTransaction(transaction), room(of: transaction).pointee == whole else {
      return false
    }
    var child: OpaquePointer?
    guard mdb_txn_begin(mdb_txn_env(transaction), transaction, 0, &child) == 0, let child else { return false }
    defer { mdb_txn_abort(child) }
    guard isTransaction(child), words(of: child)[parentField] == UInt(bitPattern: transaction),
      room(of: child).pointee == whole
    else { return false }
    // The main tree's handle.
    var handle: UInt32 = 0
    guard mdb_dbi_open(child, nil, 0, &handle) == 0 else { return false }
    var byte: UInt8 = 0
    let code = withUnsafeMutablePointer(to: &byte) { byte in
      var (key, value) = (MDB_val(mv_size: 1, mv_data: byte), MDB_val(mv_size: 1, mv_data: byte))
      return mdb_put(child, handle, &key, &value, 0)
    }
    return code == 0 && (whole - least..<whole).contains(room(of: child).pointee)
      && room(of: transaction).pointee == whole
  }

  private static func isTransaction(_ transaction: OpaquePointer) -> Bool {
    let words = words(of: transaction)
    return words[numberField] == UInt(mdb_txn_id(transaction))
      && words[environmentField] == UInt(bitPattern: mdb_txn_env(transaction))
  }

  static func room(of transaction: OpaquePointer) -> UnsafeMutablePointer<UInt32> {
    UnsafeMutableRawPointer(transaction).assumingMemoryBound(to: UInt32.self) + roomField
  }

  private static func words(of transaction: OpaquePointer) -> UnsafePointer<UInt> {
    UnsafeRawPointer(transaction).assumingMemoryBound(to: UInt.self)
  }
}
