import Foundation

/// Files as data whose bytes are read when somebody looks at them. A pointer file: the map is lent to the data.
enum MappedFile {
  /// Nil where no file of exactly so many bytes is there that this process may read.
  static func data(at path: String, byteCount: Int) -> Data? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, Int(status.st_size) == byteCount,
      byteCount > 0, let start = mmap(nil, byteCount, PROT_READ, MAP_PRIVATE, descriptor, 0), start != MAP_FAILED
    else { return nil }
    return Data(bytesNoCopy: start, count: byteCount, deallocator: .custom { munmap($0, $1) })
  }
}
