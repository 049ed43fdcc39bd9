import Foundation
import Synchronization
import Testing

@testable import MySubGuard

/// Files beside the store that hold what a person pays for.
struct PrivateFileTests {
  /// Looks at all that is in the folder while files are written there: each was everybody's to read for a moment.
  @Test func `a private file is its owner's alone from its first moment on`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "private-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = PrivateFile(url: folder.appending(path: "note.undo"), largestBytes: 1 << 20)
    let isDone = Atomic(false)
    async let open = Self.openFiles(in: folder.path) { isDone.load(ordering: .acquiring) }
    let content = Data(repeating: 7, count: 1000)
    for _ in 0..<400 {
      try file.write(content)
      await Task.yield()
    }
    isDone.store(true, ordering: .releasing)
    #expect(await open == 0)
    #expect(try file.read() == content)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["note.undo"])
  }

  /// How often a file was seen that others than its owner may read.
  private static func openFiles(in folder: String, until isDone: @Sendable () -> Bool) async -> Int {
    var count = 0
    while !isDone() {
      guard let directory = opendir(folder) else { return -1 }
      defer { closedir(directory) }
      while let entry = readdir(directory) {
        let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        var status = stat()
        guard ![".", ".."].contains(name), stat(folder + "/" + name, &status) == 0 else { continue }
        if status.st_mode & 0o077 != 0 { count += 1 }
      }
    }
    return count
  }
}
