import Foundation

/// The signs that a file was written again since one last looked, without reading it.
struct FileSignature: Hashable, Sendable {
  let byteCount: Int
  private let number: UInt64
  private let times: [Int]

  /// Nil if there is no such regular file.
  static func of(_ file: URL) -> FileSignature? {
    guard let memory = FolderMemory.current else { return FileSignature(of: file) }
    return memory.signature(of: file) { FileSignature(of: file) }
  }

  private init?(of file: URL) {
    var status = stat()
    guard !FileCall.look.fails(at: file.path), stat(file.path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      return nil
    }
    byteCount = Int(status.st_size)
    number = UInt64(status.st_ino)
    #if canImport(Darwin)
      let (modified, changed) = (status.st_mtimespec, status.st_ctimespec)
    #else
      let (modified, changed) = (status.st_mtim, status.st_ctim)
    #endif
    times = [modified.tv_sec, modified.tv_nsec, changed.tv_sec, changed.tv_nsec]
  }

  /// When the content was written, by the file system's clock: seconds since 1970.
  var written: Double { Double(times[0]) + Double(times[1]) / 1e9 }

  /// For keeping.
  var encoded: [UInt8] {
    var writer = FileWriter(reserving: 48)
    writer.put(UInt64(byteCount))
    writer.put(number)
    for part in times { writer.put(Int64(part)) }
    return writer.bytes
  }
}
