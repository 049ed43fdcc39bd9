import Foundation
import LMDB
import Testing

/// Logs as earlier builds left them: `SyncFixtures/golden/redo-1` is a data file as the device had it after a crash,
/// and the pages of its log. They are never edited.
struct FormerRedoLogTests {
  private func open(_ directory: TemporaryDirectory, isReadOnly: Bool = false) -> LMDBError? {
    var options = Environment.Options()
    options.isReadOnly = isReadOnly
    do {
      _ = try Environment.open(at: directory.path, options: options)
      return nil
    } catch {
      return error as? LMDBError
    }
  }

  private func log(_ directory: TemporaryDirectory) -> URL {
    URL(fileURLWithPath: directory.path).appending(path: Environment.formerRedoLogName)
  }

  @Test(arguments: [false, true]) func `a log that counts is refused, and left as it is`(isReadOnly: Bool) throws {
    let directory = try TemporaryDirectory()
    let data = try Self.file("data.mdb")
    try data.write(to: URL(fileURLWithPath: directory.path + "/data.mdb"))
    try Self.file("redo.log").write(to: log(directory))
    let error = try #require(open(directory, isReadOnly: isReadOnly))
    #expect(error.code == .formerLog)
    #expect(error.detail.contains("54e2e63"))
    #expect(try Data(contentsOf: log(directory)) == Self.file("redo.log"))
    #expect(try Data(contentsOf: URL(fileURLWithPath: directory.path + "/data.mdb")) == data)
  }

  @Test func `a log whose commits are all in the data file goes with the first opening for writing`() throws {
    let directory = try TemporaryDirectory()
    let environment = try Environment.open(at: directory.path)
    // Beyond the numbers of the log's records.
    for index in 0..<100 {
      try environment.write { transaction in
        let database = try transaction.createDatabase(named: "people")
        try transaction.put(database, key: "\(index)".bytes, value: [1])
      }
    }
    let copy = try TemporaryDirectory()
    try environment.copy(to: copy.path, compacting: false)
    try Self.file("redo.log").write(to: log(copy))
    #expect(open(copy, isReadOnly: true) == nil)
    #expect(FileManager.default.fileExists(atPath: log(copy).path))
    #expect(open(copy) == nil)
    #expect(!FileManager.default.fileExists(atPath: log(copy).path))
  }

  @Test func `an empty log goes`() throws {
    let directory = try TemporaryDirectory()
    try Data(count: 1 << 20).write(to: log(directory))
    #expect(open(directory) == nil)
    #expect(!FileManager.default.fileExists(atPath: log(directory).path))
  }

  @Test func `a log that cannot be read is no reason to remove it`() throws {
    let directory = try TemporaryDirectory()
    try FileManager.default.createDirectory(at: log(directory), withIntermediateDirectories: false)
    #expect(open(directory)?.code == .other(EISDIR))
    #expect(FileManager.default.fileExists(atPath: log(directory).path))
  }

  private static func file(_ name: String) throws -> Data {
    let root = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    return try Data(contentsOf: root.appending(path: "SyncFixtures/golden/redo-1/\(name)"))
  }
}
