import CLMDB

/// The file `redo.log`, in which builds before store format 3 kept small commits until they were in the data file.
///
/// This build keeps none. A log that still counts holds commits that the data file may lack after a crash, so the
/// environment is refused. A void log is removed: one whose commits are all in the data file.
///
/// Layout, little-endian. A record: 0 magic `TRDO`, 4 CRC-32C of all after it, 8 format u16 (1), 12 bytes of the
/// changes u32, 16 generation u64, 24 transaction id u64, 36 the meta page of the commit that the log goes on from
/// (136 bytes), 172 the changes. Each record begins at a multiple of 4,096. The log counts while the data file's last
/// transaction id is not less than that of the meta page and not greater than that of the last record.
struct FormerRedoLog {
  static let name = "redo.log"
  private static let lastRevision = "54e2e63"
  private static let magic = Array("TRDO".utf8)
  private static let headerBytes = 172
  private static let recordAlignment = 4096
  /// The byte of the data file that a process of an earlier build keeps locked while it uses the environment.
  private static let usingByte: Int64 = 1 << 62 + 1

  private let path: String
  private let directory: String

  init(directory: String) {
    self.directory = directory
    path = directory + "/" + Self.name
  }

  /// Refuses a log that counts, and removes a void one. Costs one system call where there is no log. A read that fails
  /// throws: nothing is removed on doubt.
  func settle(beside file: DataFile, mayRemove: Bool) throws {
    let descriptor = openFile(path, O_RDONLY | O_CLOEXEC, 0)
    guard descriptor >= 0 else {
      if lastSystemError() == ENOENT { return }
      throw LMDBError(returnCode: lastSystemError(), operation: "read \(path)")
    }
    defer { close(descriptor) }
    if let range = try commits(in: descriptor), let newest = try DataFileMeta.newest(file.descriptor),
      range.contains(newest.transactionID)
    {
      throw LMDBError(
        .formerLog, operation: "open the environment at \(directory)",
        detail:
          "its last commits may be in \(Self.name) alone, which this build does not read; open it once with revision "
          + "\(Self.lastRevision) and close it everywhere")
    }
    guard mayRemove, !isByteLocked(file.descriptor, Self.usingByte, Int16(F_WRLCK)) else { return }
    if unlink(path) != 0, lastSystemError() != ENOENT {
      throw LMDBError(returnCode: lastSystemError(), operation: "remove \(path)")
    }
  }

  /// From the commit that the log goes on from to that of its last record; nil for an empty log.
  private func commits(in descriptor: Int32) throws -> ClosedRange<UInt64>? {
    guard let first = try Record(descriptor, at: 0) else { return nil }
    var last = first
    while let next = try Record(descriptor, at: last.end), next.follows(last) { last = next }
    return min(first.checkpointID, last.transactionID)...last.transactionID
  }

  private struct Record {
    let generation: UInt64
    let transactionID: UInt64
    let checkpointID: UInt64
    let end: Int

    /// Nil where there is no whole record.
    init?(_ descriptor: Int32, at offset: Int) throws {
      let header = try DataFileMeta.read(descriptor, at: offset, count: headerBytes)
      guard let header, header.starts(with: magic) else { return nil }
      let count = headerBytes + Int(header.number(UInt32.self, at: 12))
      guard let meta = DataFileMeta(Array(header[36..<headerBytes])),
        let bytes = try DataFileMeta.read(descriptor, at: offset, count: count),
        bytes.withRawBytes({ $0.slice(8..<count).checksum }) == header.number(UInt32.self, at: 4)
      else { return nil }
      generation = header.number(UInt64.self, at: 16)
      transactionID = header.number(UInt64.self, at: 24)
      checkpointID = meta.transactionID
      end = offset + (count + recordAlignment - 1) / recordAlignment * recordAlignment
    }

    func follows(_ last: Record) -> Bool { generation == last.generation && transactionID == last.transactionID &+ 1 }
  }
}
