import Foundation

/// The folder of the run, into which image after image is laid. A file that is one in the log of calls is one here, so
/// that a store is at its own place, as it is after a real cut.
struct ImageFolder {
  let folder: URL
  private let pool: URL
  private var laid: [(path: String, node: Int)] = []

  /// `owners`: the node of each file that the run has left.
  init(_ folder: URL, owners: [String: Int]) throws {
    self.folder = folder
    pool = URL(fileURLWithPath: folder.path + ".pool")
    try FileManager.default.createDirectory(at: pool, withIntermediateDirectories: true)
    laid = owners.map { ($0.key, $0.value) }
    try clear()
  }

  mutating func lay(_ image: DiskImage) throws {
    try clear()
    try image.makeFolders(in: folder)
    for file in image.files where DiskImage.isKept(file.path) {
      let target = folder.appendingPathComponent(file.path)
      let kept = pool.appendingPathComponent("\(file.node)")
      if FileManager.default.fileExists(atPath: kept.path), rename(kept.path, target.path) != 0 {
        throw Trouble("\(kept.path) could not get the name \(target.path)")
      }
      try write(file.content, to: target.path)
      laid.append((file.path, file.node))
    }
  }

  private func write(_ content: [UInt8], to path: String) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Trouble("cannot write \(path)") }
    defer { close(descriptor) }
    guard content.isEmpty || Foundation.write(descriptor, content, content.count) == content.count else {
      throw Trouble("cannot write \(path): \(String(cString: strerror(errno)))")
    }
  }

  /// Files that were laid go to the pool, all others away.
  private mutating func clear() throws {
    for (path, node) in laid {
      // What has another name meanwhile, or none, is a new file the next time.
      rename(folder.appendingPathComponent(path).path, pool.appendingPathComponent("\(node)").path)
    }
    laid.removeAll()
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      try FileManager.default.removeItem(at: folder.appendingPathComponent(name))
    }
  }
}
