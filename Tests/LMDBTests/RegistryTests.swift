import Foundation
import LMDB
import Testing

struct RegistryTests {
  // A removed environment's inode is free once its file is closed, and the registry hears of the close a moment
  // later. A file made in between got the inode, was entered, and lost its entry to the late report: the next
  // open made a second environment on it, whose close emptied the reader table under the first one
  // (MDB_BAD_RSLOT). Tests with one environment at a time never saw it.
  @Test func `a new file that gets a removed one's inode is still one environment`() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<60 {
            let directory = try TemporaryDirectory()
            let first = try Environment.open(at: directory.path)
            let second = try Environment.open(at: directory.path)
            #expect(first === second)
            try FileManager.default.removeItem(atPath: directory.path)
            try FileManager.default.createDirectory(atPath: directory.path, withIntermediateDirectories: false)
          }
        }
      }
      try await group.waitForAll()
    }
  }
}
