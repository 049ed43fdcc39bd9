import Foundation

/// A data file that lost its beginning to a power cut while its store was created: no commit was ever in it.
///
/// LMDB writes two meta pages first, each in one sector, and does not wait for them. What a cut leaves is mostly no
/// longer than these pages, and each of its sectors holds zeros or the beginning of a meta page; one of the two is
/// missing. A longer file can be left, too, by a cut in the first commit that keeps its pages and loses both of these;
/// it is not told from a store that was damaged, so it is refused and kept.
enum UnfinishedFile {
  private static let sectorByteCount = 512
  private static let magic: [UInt8] = [0xDE, 0xC0, 0xEF, 0xBE]
  /// Behind the page's own header.
  private static let magicOffset = 16

  static func isAt(_ url: URL) throws -> Bool {
    let pageByteCount = Int(sysconf(Int32(_SC_PAGESIZE)))
    var status = stat()
    // A file that is not there, or not to be asked: opening says what is wrong.
    guard stat(url.path, &status) == 0, (1...2 * pageByteCount).contains(Int(status.st_size)) else { return false }
    let bytes = [UInt8](try Data(contentsOf: url))
    var metaPages = 0
    for start in stride(from: 0, to: bytes.count, by: sectorByteCount) {
      let sector = bytes[start..<min(start + sectorByteCount, bytes.count)]
      if sector.allSatisfy({ $0 == 0 }) { continue }
      guard start % pageByteCount == 0, sector.dropFirst(magicOffset).starts(with: magic) else { return false }
      metaPages += 1
    }
    return metaPages < 2 || bytes.count < 2 * pageByteCount
  }
}
