import CLMDB

/// The small files in which Linux tells about itself and its processes.
package enum SystemFile {
  private static let chunkBytes = 16 << 10

  /// The lines of a file; none where it cannot be read.
  package static func lines(of path: String) -> [String] {
    let descriptor = openFile(path, O_RDONLY | O_CLOEXEC, 0)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: chunkBytes)
    while true {
      let count = read(descriptor, &chunk, chunk.count)
      if count <= 0 { break }
      bytes += chunk.prefix(count)
    }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }
}
