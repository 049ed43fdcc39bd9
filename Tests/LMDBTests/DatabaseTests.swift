import Foundation
import HelperProcess
import LMDB
import Testing

struct DatabaseTests {
  private struct Refused: Error {}

  @Test func `a database that another process creates is found afterwards`() throws {
    try withEnvironment { environment in
      #expect(try environment.database(named: "people") == nil)
      let helper = try HelperProcess("create-database", environment.path, "people")
      try helper.expect("created")
      let people = try #require(try environment.database(named: "people"))
      #expect(try environment.read { try $0.view.get(people, key: "key".bytes)?.text } == "value")
      #expect(try environment.read { try $0.view.databaseNames() } == ["people"])
    }
  }

  @Test func `a database is gone with the transaction that created it, and can be created again`() throws {
    try withEnvironment { environment in
      for _ in 0..<100 {
        #expect(throws: Refused.self) {
          try environment.write { transaction in
            let people = try transaction.createDatabase(named: "people")
            try transaction.put(people, key: "a".bytes, value: "1".bytes)
            throw Refused()
          }
        }
        #expect(try environment.database(named: "people") == nil)
      }
      let people = try environment.write { try $0.createDatabase(named: "people") }
      #expect(try environment.read { try $0.view.statistics(people).entries } == 0)
    }
  }

  @Test func `a database created in a nested transaction shares its fate`() throws {
    try withEnvironment { environment in
      try environment.write { transaction in
        _ = try transaction.nested { try $0.createDatabase(named: "kept") }
        do {
          try transaction.nested { inner in
            _ = try inner.createDatabase(named: "undone")
            throw Refused()
          }
        } catch is Refused {
          _ = try transaction.createDatabase(named: "after")
        }
      }
      #expect(try environment.read { try $0.view.databaseNames() } == ["after", "kept"])
      #expect(try environment.database(named: "undone") == nil)
      #expect(try environment.database(named: "kept") != nil)
    }
  }

  @Test func `a database is found inside the write that creates it, and not outside before the commit`() throws {
    try withEnvironment { environment in
      try environment.write { transaction in
        let created = try transaction.createDatabase(named: "people")
        #expect(try environment.database(named: "people") == created)
        #expect(try environment.database(named: "others") == nil)
      }
      #expect(try environment.database(named: "people") != nil)
    }
  }

  @Test func `an older snapshot refuses a database that was opened after it began`() throws {
    try withEnvironment { environment in
      try environment.read { transaction in
        let people = try environment.write { try $0.createDatabase(named: "people") }
        #expect(errorCode { _ = try transaction.view.get(people, key: "a".bytes) } == .databaseOpenedLater)
        #expect(errorCode { _ = try transaction.view.cursor(people) } == .databaseOpenedLater)
        #expect(try environment.read { try $0.view.get(people, key: "a".bytes) == nil })
      }
    }
  }

  @Test func `many databases are opened at once, in the order of their names, and what is missing is nil`() throws {
    let directory = try TemporaryDirectory()
    for name in ["b", "a"] { try HelperProcess("create-database", directory.path, name).expect("created") }
    let environment = try Environment.open(at: directory.path)
    for _ in 0..<2 {
      let found = try environment.databases(named: ["a", "missing", "b", "a"])
      #expect(found.map { $0?.name } == ["a", nil, "b", "a"])
      #expect(found[0] == found[3] && found[0] != found[2])
      try environment.read { transaction in
        let texts = try found.compactMap(\.self).map { try transaction.view.get($0, key: "key".bytes)?.text }
        #expect(texts == ["value", "value", "value"])
      }
    }
    try environment.write { transaction in
      let new = try transaction.createDatabase(named: "missing")
      #expect(try environment.databases(named: ["b", "missing"])[1] == new)
    }
  }

  @Test func `a write runs again when a reader opened databases meanwhile`() throws {
    // LMDB numbers handles by what a transaction knew when it began. Without the second run the new database would get
    // the number that the reader's has by now, and one would be written into the other.
    let directory = try TemporaryDirectory()
    try HelperProcess("create-database", directory.path, "known").expect("created")
    let environment = try Environment.open(at: directory.path)
    var runs = 0
    try environment.write { transaction in
      runs += 1
      try onAnotherThread { _ = try environment.database(named: "known") }
      let new = try transaction.createDatabase(named: "new")
      try transaction.put(new, key: "key".bytes, value: "new".bytes)
    }
    #expect(runs == 2)
    let (known, new) = (try environment.database(named: "known"), try environment.database(named: "new"))
    try environment.read { transaction in
      let values = try [known, new].map { try transaction.view.get(try #require($0), key: "key".bytes)?.text }
      #expect(values == ["value", "new"])
    }
  }

  @Test func `databases opened on many threads while others are created are never mixed up`() async throws {
    let directory = try TemporaryDirectory()
    let count = 60
    for index in 0..<count / 2 {
      try Environment.open(at: directory.path).write { transaction in
        let database = try transaction.createDatabase(named: "old\(index)")
        try transaction.put(database, key: "name".bytes, value: database.name.bytes)
      }
    }
    let environment = try Environment.open(at: directory.path)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        for index in 0..<count / 2 {
          try environment.write { transaction in
            let database = try transaction.createDatabase(named: "new\(index)")
            try transaction.put(database, key: "name".bytes, value: database.name.bytes)
          }
        }
      }
      for offset in 0..<4 {
        group.addTask {
          for index in 0..<count / 2 {
            let name = "old\((index + offset * 7) % (count / 2))"
            let database = try #require(try environment.database(named: name))
            let value = try environment.read { try $0.view.get(database, key: "name".bytes)?.text }
            #expect(value == name)
          }
        }
      }
      try await group.waitForAll()
    }
    let names = try environment.read { try $0.view.databaseNames() }
    #expect(names.count == count)
    for name in names {
      let database = try #require(try environment.database(named: name))
      #expect(try environment.read { try $0.view.get(database, key: "name".bytes)?.text } == name)
    }
    withExtendedLifetime(directory) {}
  }

  @Test func `there is a limit of databases`() throws {
    try withEnvironment({ $0.maximumDatabases = 2 }) { environment in
      let code = errorCode {
        try environment.write { transaction in
          for index in 0..<3 { _ = try transaction.createDatabase(named: "\(index)") }
        }
      }
      #expect(code == .databasesFull)
      try environment.write { _ = try $0.createDatabase(named: "only") }
      #expect(try environment.read { try $0.view.databaseNames() } == ["only"])
    }
  }
}

/// Runs `body` on a new thread and waits for it.
func onAnotherThread(_ body: @escaping () throws -> Void) throws {
  // The waiting keeps the two threads from running at the same time.
  nonisolated(unsafe) let body = body
  nonisolated(unsafe) var outcome: Result<Void, any Error>?
  let done = DispatchSemaphore(value: 0)
  Thread {
    outcome = Result { try body() }
    done.signal()
  }.start()
  done.wait()
  try outcome?.get()
}
