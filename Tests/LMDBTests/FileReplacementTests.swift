import Foundation
import LMDB
import Testing

/// Files of an open environment that lose their names.
struct FileReplacementTests {
  private func withDatabase(_ body: (Environment, () throws -> Void) throws -> Void) throws {
    let directory = try TemporaryDirectory()
    let environment = try Environment.open(at: directory.path)
    let database = try environment.write { try $0.createDatabase(named: "people") }
    try body(environment) {
      try environment.write { try $0.put(database, key: "a".bytes, value: "1".bytes) }
    }
  }

  /// The next process makes a lock file of its own, and both write at once: saves that were acknowledged vanished.
  @Test(arguments: ["lock.mdb", "data.mdb"])
  func `the next write notices that a file was removed, and every one after it is refused`(name: String) throws {
    try withDatabase { environment, write in
      try write()
      #expect(unlink(environment.path + "/" + name) == 0)
      #expect(errorCode(write) == .filesReplaced)
      #expect(errorCode(write) == .panic)
      #expect(environment.isUnusable)
    }
  }

  @Test(arguments: ["lock.mdb", "data.mdb"])
  func `the next write notices that a file was replaced by its copy`(name: String) throws {
    try withDatabase { environment, write in
      let file = environment.path + "/" + name
      // By another process: a copy made here would drop LMDB's locks.
      let copying = Process()
      copying.executableURL = URL(fileURLWithPath: "/bin/sh")
      copying.arguments = ["-c", "cp \"$0\" \"$0.copy\" && mv \"$0.copy\" \"$0\"", file]
      try copying.run()
      copying.waitUntilExit()
      #expect(copying.terminationStatus == 0)
      #expect(errorCode(write) == .filesReplaced)
    }
  }

  @Test func `an environment whose directory is moved goes on`() throws {
    let parent = try TemporaryDirectory()
    let (first, second) = (parent.path + "/first", parent.path + "/second")
    try FileManager.default.createDirectory(atPath: first, withIntermediateDirectories: false)
    let environment = try Environment.open(at: first)
    #expect(rename(first, second) == 0)
    try environment.write { _ = try $0.createDatabase(named: "people") }
  }

  @Test func `the next write notices that another environment is in the place of one that was moved`() throws {
    let parent = try TemporaryDirectory()
    let (first, second) = (parent.path + "/first", parent.path + "/second")
    try FileManager.default.createDirectory(atPath: first, withIntermediateDirectories: false)
    let environment = try Environment.open(at: first)
    let database = try environment.write { try $0.createDatabase(named: "people") }
    #expect(rename(first, second) == 0)
    try FileManager.default.createDirectory(atPath: first, withIntermediateDirectories: false)
    let other = try Environment.open(at: first)
    let write = { try environment.write { try $0.put(database, key: "a".bytes, value: "1".bytes) } }
    #expect(errorCode(write) == .filesReplaced)
    #expect(errorCode(write) == .panic)
    try other.write { _ = try $0.createDatabase(named: "people") }
  }
}
