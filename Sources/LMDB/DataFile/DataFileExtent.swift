import CLMDB

/// Tells a data file that was cut short from one that merely ends in unwritten pages.
///
/// LMDB maps the file without looking at its length, and the first touch of a missing page kills the process. A file
/// may rightly be shorter than its last page number says, when the pages at its end were allocated and freed before
/// they were written; then all of them are in the list of free pages. So that list is read, by plain file reads.
///
/// Other processes may commit meanwhile. Two commits write over the meta page of a snapshot, so a meta page that is not
/// the snapshot's any more says nothing about the file: the answer is ``unknown``, and the caller takes a new snapshot.
enum DataFileExtent {
  case whole
  case cutShort
  case unknown

  /// Throws what the system says where it cannot read the file.
  ///
  /// - Parameter transactionID: a snapshot that is pinned, so that no commit writes over its pages meanwhile.
  init(_ descriptor: Int32, directory: String, transactionID: UInt64, pageSize: Int) throws {
    // The pages of any commit lie below the last page of a later one. The file is measured afterwards, because a commit
    // writes its pages before its meta page.
    guard let newest = try DataFileMeta.newest(descriptor) else {
      self = .cutShort
      return
    }
    var status = stat()
    if fstat(descriptor, &status) != 0 {
      throw LMDBError(returnCode: lastSystemError(), operation: "measure the data file")
    }
    if newest.lastPage < UInt64(status.st_size) / UInt64(pageSize) {
      self = .whole
      return
    }
    guard let meta = try DataFileMeta(descriptor, of: transactionID, pageSize: pageSize) else {
      self = .unknown
      return
    }
    let isWhole = try Self.isWhole(DataFilePages(directory: directory), meta)
    // The page may have been written over while it was read.
    let same = try DataFileMeta(descriptor, of: transactionID, pageSize: pageSize)
    self = same == meta ? (isWhole ? .whole : .cutShort) : .unknown
  }

  private static func isWhole(_ pages: DataFilePages, _ meta: DataFileMeta) throws -> Bool {
    if meta.lastPage < pages.count { return true }
    guard meta.mainRoot == DataFileSurvey.noPage || meta.mainRoot < pages.count else { return false }
    let range = pages.count...meta.lastPage
    let list = FreePageList(meta.freeRoot, in: pages)
    if let failure = pages.failure { throw failure }
    return list.isWhole && Set(list.free.filter(range.contains)).count == range.count
  }
}
