import LMDB
import Testing

struct TransactionTests {
  private struct Refused: Error {}

  @Test func `a committed value is read back, an aborted one is not`() throws {
    try withEnvironment { environment in
      let database = try environment.write { transaction in
        let database = try transaction.createDatabase(named: "people")
        try transaction.put(database, key: "a".bytes, value: "Ada".bytes)
        return database
      }
      #expect(throws: Refused.self) {
        try environment.write { transaction in
          try transaction.put(database, key: "b".bytes, value: "Bob".bytes)
          throw Refused()
        }
      }
      let (a, b) = try environment.read { transaction in
        let view = transaction.view
        return (try view.get(database, key: "a".bytes)?.text, try view.get(database, key: "b".bytes)?.text)
      }
      #expect(a == "Ada")
      #expect(b == nil)
    }
  }

  @Test func `a snapshot does not see what is committed after it began`() throws {
    try withEnvironment { environment in
      let database = try environment.write { try $0.createDatabase(named: "people") }
      try environment.read { transaction in
        let before = transaction.view.id
        try environment.write { try $0.put(database, key: "a".bytes, value: "1".bytes) }
        #expect(try transaction.view.get(database, key: "a".bytes) == nil)
        #expect(transaction.view.id == before)
        try environment.read { (inner: borrowing ReadTransaction) throws in
          #expect(try inner.view.get(database, key: "a".bytes)?.text == "1")
          #expect(inner.view.id == before + 1)
        }
      }
    }
  }

  @Test func `insert refuses a key that is there, append one that is not greater`() throws {
    try withEnvironment { environment in
      try environment.write { transaction in
        let database = try transaction.createDatabase(named: "people")
        try transaction.put(database, key: "m".bytes, value: "1".bytes, mode: .insert)
        for (key, mode) in [("m", WriteTransaction.PutMode.insert), ("a", .append)] {
          #expect(errorCode { try transaction.put(database, key: key.bytes, value: [], mode: mode) } == .keyExists)
        }
        try transaction.put(database, key: "n".bytes, value: "2".bytes, mode: .append)
        #expect(try transaction.view.get(database, key: "m".bytes)?.text == "1")
        #expect(try transaction.view.statistics(database).entries == 2)
      }
    }
  }

  @Test func `reserved room is written in place, and deleting says whether the key was there`() throws {
    try withEnvironment { environment in
      let database = try environment.write { transaction in
        let database = try transaction.createDatabase(named: "people")
        try "key".bytes.withRawBytes { key in
          try transaction.reserve(database, key: key, count: 3000) { $0.initializeMemory(as: UInt8.self, repeating: 7) }
        }
        return database
      }
      let value = try environment.read { try $0.view.get(database, key: "key".bytes)?.copied() }
      #expect(value == [UInt8](repeating: 7, count: 3000))
      try environment.write { (transaction: borrowing WriteTransaction) throws in
        #expect(try transaction.delete(database, key: "key".bytes))
        #expect(try !transaction.delete(database, key: "key".bytes))
        #expect(try !transaction.delete(database, key: "other".bytes))
      }
    }
  }

  @Test func `a nested transaction is kept when it returns and undone when it throws`() throws {
    try withEnvironment { environment in
      let database = try environment.write { transaction in
        let database = try transaction.createDatabase(named: "people")
        try transaction.nested { inner in
          try inner.put(database, key: "kept".bytes, value: "1".bytes)
          do {
            try inner.nested { deepest in
              try deepest.put(database, key: "undone".bytes, value: "1".bytes)
              throw Refused()
            }
          } catch is Refused {
            try inner.put(database, key: "after".bytes, value: "1".bytes)
          }
        }
        try transaction.put(database, key: "outer".bytes, value: "1".bytes)
        return database
      }
      try environment.read { (transaction: borrowing ReadTransaction) throws in
        #expect(try transaction.view.get(database, key: "kept".bytes) != nil)
        #expect(try transaction.view.get(database, key: "after".bytes) != nil)
        #expect(try transaction.view.get(database, key: "undone".bytes) == nil)
        #expect(try transaction.view.get(database, key: "outer".bytes) != nil)
      }
    }
  }

  @Test func `an emptied database has no entries and can be filled again`() throws {
    try withEnvironment { environment in
      let database = try environment.write { transaction in
        let database = try transaction.createDatabase(named: "people")
        for index in 0..<1000 { try transaction.put(database, key: "\(index)".bytes, value: "x".bytes) }
        return database
      }
      try environment.write { transaction in
        try transaction.removeAll(from: database)
        try transaction.put(database, key: "new".bytes, value: "x".bytes)
      }
      let statistics = try environment.read { try $0.view.statistics(database) }
      #expect(statistics.entries == 1)
      #expect(statistics.leafPages == 1)
    }
  }

  @Test(arguments: [0, 512]) func `keys that LMDB cannot hold are refused`(length: Int) throws {
    try withEnvironment { environment in
      let error = #expect(throws: LMDBError.self) {
        try environment.write { transaction in
          let database = try transaction.createDatabase(named: "people")
          try transaction.put(database, key: [UInt8](repeating: 1, count: length), value: [])
        }
      }
      #expect(error?.code == .badValueSize)
    }
  }

  @Test func `sixty-four threads read at once and the pool keeps few slots`() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      let directory = try TemporaryDirectory()
      var options = Environment.Options()
      options.durability = .unsafeNoSync
      let environment = try Environment.open(at: directory.path, options: options)
      let database = try environment.write { transaction in
        let database = try transaction.createDatabase(named: "people")
        try transaction.put(database, key: "a".bytes, value: "1".bytes)
        return database
      }
      for _ in 0..<64 {
        group.addTask {
          for _ in 0..<200 {
            let value = try environment.read { try $0.view.get(database, key: "a".bytes)?.copied() }
            #expect(value == "1".bytes)
          }
        }
      }
      try await group.waitForAll()
      #expect(try environment.information().activeReaders <= 64)
    }
  }
}
