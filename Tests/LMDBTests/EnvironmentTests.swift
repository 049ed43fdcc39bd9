import Foundation
import LMDB
import Testing

struct EnvironmentTests {
  @Test func `two paths to one file give one environment, and the last user closes it`() throws {
    let directory = try TemporaryDirectory()
    let link = directory.path + "-link"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: directory.path)
    defer { unlink(link) }

    var first: Environment? = try Environment.open(at: directory.path)
    var second: Environment? = try Environment.open(at: link)
    #expect(first === second)
    weak let alive = first
    first = nil
    #expect(alive != nil)
    try second?.write { _ = try $0.createDatabase(named: "people") }
    second = nil
    #expect(alive == nil)
    #expect(try Environment.open(at: directory.path).database(named: "people") != nil)
  }

  @Test func `opening and closing on many threads never opens a file twice`() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<8 {
        group.addTask {
          for round in 0..<50 {
            let environment = try Environment.open(at: path)
            let number = try environment.read { $0.view.id }
            #expect(number == 0, "task \(task), round \(round)")
          }
        }
      }
      try await group.waitForAll()
    }
    withExtendedLifetime(directory) {}
  }

  @Test func `its files belong to their user alone`() throws {
    try withEnvironment { environment in
      for name in ["data.mdb", "lock.mdb"] {
        let attributes = try FileManager.default.attributesOfItem(atPath: environment.path + "/" + name)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
      }
    }
  }

  @Test func `a directory that is missing, or empty and read-only, is not a store`() throws {
    let directory = try TemporaryDirectory()
    #expect(errorCode { _ = try Environment.open(at: directory.path + "/missing") } == .noSuchFile)
    var options = Environment.Options()
    options.isReadOnly = true
    #expect(errorCode { _ = try Environment.open(at: directory.path, options: options) } == .noSuchFile)
    #expect(!FileManager.default.fileExists(atPath: directory.path + "/data.mdb"))
  }

  @Test func `reading ahead makes no file, and waits for no writer of a pipe`() throws {
    let directory = try TemporaryDirectory()
    Environment.prefetch(at: directory.path + "/missing")
    Environment.prefetch(at: directory.path)
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
    #expect(mkfifo(directory.path + "/data.mdb", 0o600) == 0)
    Environment.prefetch(at: directory.path)
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["data.mdb"])
  }

  @Test(arguments: [100, 4096, 100_000]) func `a foreign file is refused and left alone`(length: Int) throws {
    let directory = try TemporaryDirectory()
    let file = URL(fileURLWithPath: directory.path + "/data.mdb")
    let content = Data(repeating: UInt8(ascii: "x"), count: length)
    try content.write(to: file)
    #expect(errorCode { _ = try Environment.open(at: directory.path) } == .invalidFile)
    #expect(try Data(contentsOf: file) == content)
  }

  @Test func `a file of another generation of LMDB is refused`() throws {
    let directory = try TemporaryDirectory()
    try Environment.open(at: directory.path).write { _ = try $0.createDatabase(named: "people") }
    let file = URL(fileURLWithPath: directory.path + "/data.mdb")
    var content = try Data(contentsOf: file)
    // The data version of both meta pages.
    for page in 0..<2 { content[page * 4096 + 20] = 99 }
    try content.write(to: file)
    #expect(errorCode { _ = try Environment.open(at: directory.path) } == .versionMismatch)
  }

  /// LMDB opens a cursor on such a tree without a word, and refuses the transaction from then on.
  @Test func `a tree that leads nowhere is damage`() throws {
    let directory = try TemporaryDirectory()
    let name = "a table of that name"
    try Environment.open(at: directory.path).write { transaction in
      let database = try transaction.createDatabase(named: name)
      for index in 0..<200 {
        try transaction.put(database, key: "\(index)".bytes, value: [UInt8](repeating: 1, count: 100))
      }
    }
    let file = URL(fileURLWithPath: directory.path + "/data.mdb")
    var content = try Data(contentsOf: file)
    var found = 0
    // What LMDB keeps of a tree follows its name, and ends with the number of the root's page.
    while let place = content.range(of: Data(name.utf8), in: found..<content.count) {
      content.replaceSubrange(place.upperBound + 40..<place.upperBound + 48, with: [0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0])
      found = place.upperBound
    }
    #expect(found > 0)
    try content.write(to: file)
    let environment = try Environment.open(at: directory.path)
    let database = try #require(try environment.databases(named: [name])[0])
    let code = errorCode {
      try environment.read { transaction in
        _ = try transaction.view.statistics(database)
        var cursor = try transaction.view.cursor(database)
        _ = try cursor.first()
      }
    }
    #expect(code == .corrupted || code == .pageNotFound)
  }

  @Test func `a file that was cut anywhere is refused instead of killing the process`() throws {
    let directory = try TemporaryDirectory()
    try Environment.open(at: directory.path).write { transaction in
      let database = try transaction.createDatabase(named: "people")
      for index in 0..<200 {
        try transaction.put(database, key: "\(index)".bytes, value: [UInt8](repeating: 1, count: 1000))
      }
    }
    let file = URL(fileURLWithPath: directory.path + "/data.mdb")
    let content = try Data(contentsOf: file)
    let pages = content.count / 4096
    for kept in 1..<pages {
      try content.prefix(kept * 4096 + 100).write(to: file)
      let code = errorCode { _ = try Environment.open(at: directory.path) }
      #expect(code == (kept == 1 ? .invalidFile : .corrupted), "\(kept) of \(pages) pages")
    }
    try content.write(to: file)
    #expect(errorCode { _ = try Environment.open(at: directory.path) } == nil)
  }

  /// Freed page numbers stand in a leaf when they are few, in pages of their own when they are many.
  @Test(arguments: [40, 3000]) func `a file whose unwritten last pages are free is whole`(pages: Int) throws {
    // LMDB never writes a page that is allocated and freed in one transaction, so a sound file can be shorter than its
    // last page number says. Taking that for damage would refuse a good store.
    let directory = try TemporaryDirectory()
    // Some small commits leave single free pages, which the last one takes for what it keeps.
    for index in 0..<4 {
      try Environment.open(at: directory.path).write { transaction in
        let database = try transaction.createDatabase(named: "people")
        try transaction.put(database, key: "kept".bytes, value: "\(index)".bytes)
      }
    }
    try Environment.open(at: directory.path).write { transaction in
      let database = try transaction.createDatabase(named: "people")
      try transaction.put(database, key: "kept".bytes, value: "1".bytes)
      try transaction.put(database, key: "large".bytes, value: [UInt8](repeating: 1, count: pages * 4096))
      try transaction.delete(database, key: "large".bytes)
    }
    let size = try FileManager.default.attributesOfItem(atPath: directory.path + "/data.mdb")[.size] as? Int
    let environment = try Environment.open(at: directory.path)
    #expect(try #require(size) < environment.information().usedBytes)
    let people = try #require(try environment.database(named: "people"))
    let kept = try environment.read { try $0.view.get(people, key: "kept".bytes)?.text }
    #expect(kept == "1")
  }

  @Test func `a data file that was replaced while it is open is refused`() throws {
    let directory = try TemporaryDirectory()
    let environment = try Environment.open(at: directory.path)
    let copy = try TemporaryDirectory()
    try environment.copy(to: copy.path, compacting: false)
    #expect(rename(copy.path + "/data.mdb", directory.path + "/data.mdb") == 0)
    #expect(errorCode { _ = try Environment.open(at: directory.path) } == .busy)
    withExtendedLifetime(environment) {}
  }

  @Test func `a read-only environment reads and refuses to write`() throws {
    let directory = try TemporaryDirectory()
    try Environment.open(at: directory.path).write { transaction in
      try transaction.put(try transaction.createDatabase(named: "people"), key: "a".bytes, value: "1".bytes)
    }
    var options = Environment.Options()
    options.isReadOnly = true
    let environment = try Environment.open(at: directory.path, options: options)
    let people = try #require(try environment.database(named: "people"))
    #expect(try environment.read { try $0.view.get(people, key: "a".bytes)?.text } == "1")
    #expect(errorCode { try environment.write { _ in } } == .accessDenied)
  }

  @Test(arguments: [false, true]) func `a copy holds one snapshot and nothing of it is left on failure`(
    compacting: Bool
  ) throws {
    let target = try TemporaryDirectory()
    let people = try withEnvironment { environment in
      try environment.write { transaction in
        let people = try transaction.createDatabase(named: "people")
        for index in 0..<500 { try transaction.put(people, key: "\(index)".bytes, value: "x".bytes) }
      }
      try environment.copy(to: target.path, compacting: compacting)
      // The second refuses to replace the first.
      #expect(errorCode { try environment.copy(to: target.path, compacting: compacting) } == .other(EEXIST))
      #expect(errorCode { try environment.copy(to: target.path + "/missing", compacting: compacting) } == .noSuchFile)
      return try Environment.open(at: target.path)
    }
    let mode = try FileManager.default.attributesOfItem(atPath: target.path + "/data.mdb")[.posixPermissions] as? Int
    #expect(mode == 0o600)
    let database = try #require(try people.database(named: "people"))
    #expect(try people.read { try $0.view.statistics(database).entries } == 500)
  }

  @Test func `information counts pages, commits and readers`() throws {
    try withEnvironment({ $0.mapSizeBytes = 32 << 20 }) { environment in
      try environment.write { _ = try $0.createDatabase(named: "people") }
      try environment.read { _ in }
      let information = try environment.information()
      #expect(information.mapSizeBytes == 32 << 20)
      #expect(information.lastTransactionID == 1)
      #expect(information.usedBytes >= 2 * 4096)
      #expect(information.maximumReaders == 510)
      #expect(information.activeReaders >= 1)
    }
  }
}
