import CLMDB
import ForeignLayouts

/// The pages of the data file as they lie in the map, for code that reads them without LMDB.
///
/// Layout: see ``TreePage``. Besides, the main tree has the 48 bytes of each
/// database under its name, the number of its root at 40 (`mdb.c`, struct `MDB_db`).
///
/// A pointer file, valid as long as the transaction.
struct SnapshotPages {
  private let first: UnsafeRawPointer
  private let count: UInt64
  let pageBytes: Int

  /// From bytes that lie in one of them. Nil for a layout that is not known here, and where LMDB's pages are not read.
  init?(around bytes: RawBytes, pageBytes: Int, _ transaction: OpaquePointer) throws {
    guard ForeignLayout.pages.isOn else { return nil }
    var information = MDB_envinfo()
    try check(mdb_env_info(mdb_txn_env(transaction), &information), "measure the environment")
    self.pageBytes = pageBytes
    count = UInt64(information.me_last_pgno) + 1
    let page = bytes.start - Int(bitPattern: bytes.start) % pageBytes
    let number = page.load(as: UInt64.self)
    guard Int.bitWidth == 64, number < count, count <= UInt64(information.me_mapsize / pageBytes) else { return nil }
    first = page - Int(number) * pageBytes
    // Page 0 is a meta page.
    let meta = first + DataFileMeta.pageHeaderBytes
    guard meta.load(as: UInt32.self) == DataFileMeta.magic,
      meta.load(fromByteOffset: 4, as: UInt32.self) == DataFileMeta.version
    else { return nil }
  }

  @inline(__always)
  func page(_ number: UInt64) -> UnsafeRawPointer? {
    number < count ? first + Int(truncatingIfNeeded: number) * pageBytes : nil
  }

  /// The number of a tree's root, from what the main tree has of its database; nil for anything else.
  static func root(_ record: RawBytes) -> UInt64? { record.count == 48 ? record.load(at: 40, as: UInt64.self) : nil }
}
