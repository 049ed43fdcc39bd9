import CChecksum
import CLMDB

/// The commit that a redo log goes on from, and by what its data file is known again.
struct RedoCheckpoint: Equatable {
  private static let noPage = UInt64.max

  /// As LMDB wrote it.
  let meta: DataFileMeta
  /// CRC-32C of the page that lists the databases; 0 where there is none.
  let rootChecksum: UInt32

  var transactionID: UInt64 { meta.transactionID }

  init(meta: DataFileMeta, rootChecksum: UInt32) {
    self.meta = meta
    self.rootChecksum = rootChecksum
  }

  /// Nil when the page is not there.
  init?(_ meta: DataFileMeta, in descriptor: Int32) {
    self.meta = meta
    guard meta.mainRoot != Self.noPage else {
      rootChecksum = 0
      return
    }
    var page = [UInt8](repeating: 0, count: meta.pageSize)
    guard pread(descriptor, &page, page.count, off_t(Int(meta.mainRoot) * page.count)) == page.count else { return nil }
    rootChecksum = page.withRawBytes { tandem_crc32c(0, $0.start, $0.count) }
  }

  /// Whether a data file is the one: it has this commit's pages, and the page that made it valid unless a later one
  /// took its place.
  func belongs(to descriptor: Int32, _ metas: [DataFileMeta]) -> Bool {
    if let same = metas.first(where: { $0.transactionID == transactionID }), same != meta { return false }
    return RedoCheckpoint(meta, in: descriptor) == self
  }
}
