import CLMDB
import ForeignLayouts
import TestSupport
import Testing

@testable import LMDB

/// Transactions that change more pages than they may hold in memory.
struct DirtyPageRoomTests {
  private static let maximum = Int(DirtyPageRoom.least)

  private struct Refused: Error {}

  private static func key(_ number: Int) -> [UInt8] { withUnsafeBytes(of: UInt64(number).bigEndian) { Array($0) } }

  /// The pages that LMDB holds for a transaction, where the room has the given maximum.
  private static func dirtyPages(_ view: TransactionView) -> Int {
    maximum - Int(DirtyPageRoom.room(of: view.transaction).pointee)
  }

  private static func contents(_ environment: Environment, _ databases: [Database]) throws -> [[[UInt8]]] {
    try environment.read { transaction throws in
      try databases.map { database in
        var entries: [[UInt8]] = []
        var cursor = try transaction.view.cursor(database)
        while let entry = try cursor.next() { entries.append(entry.key.copied() + entry.value.copied()) }
        return entries
      }
    }
  }

  @Test(.enabled(if: ForeignLayout.dirtyPages.isOn))
  func `a transaction holds no more pages than it may, however many it changes`() throws {
    try withEnvironment {
      $0.maximumDirtyPages = Self.maximum
    } _: { environment in
      var most = 0
      let database = try environment.write { transaction throws in
        let database = try transaction.createDatabase(named: "tree")
        for number in 0..<20_000 {
          try transaction.put(
            database, key: Self.key(number &* 7_919 % 20_000), value: [UInt8](repeating: 1, count: 400))
          most = max(most, Self.dirtyPages(transaction.view))
        }
        return database
      }
      #expect(most > Self.maximum / 2 && most <= Self.maximum)
      let pages = try environment.pageCensus().pagesByTree.values.reduce(0) { $0 + $1.count }
      #expect(pages > 4 * Self.maximum)
      #expect(try Self.contents(environment, [database])[0].count == 20_000)
    }
  }

  /// Puts, deletes, nested transactions that are kept or undone, and whole ones that are undone, in some trees.
  @Test(arguments: 0..<4)
  func `what is written early is as what is written at the commit`(run: Int) throws {
    let seed = SeededGenerator.announced().seed &+ UInt64(run)
    func play(_ maximum: Int) throws -> [[[UInt8]]] {
      try withEnvironment {
        $0.maximumDirtyPages = maximum
      } _: { environment in
        var random = SeededGenerator(seed: seed)
        let databases = try environment.write { transaction throws in
          try (0..<3).map { try transaction.createDatabase(named: "tree \($0)") }
        }
        func change(_ transaction: borrowing WriteTransaction, _ count: Int) throws {
          for _ in 0..<count {
            guard let database = databases.randomElement(using: &random) else { continue }
            let key = Self.key(Int.random(in: 0..<6_000, using: &random))
            if random.oneIn(4) {
              try transaction.delete(database, key: key)
            } else {
              // Some have pages of their own.
              let count = random.oneIn(50) ? 9_000 : Int.random(in: 0..<500, using: &random)
              try transaction.put(
                database, key: key, value: [UInt8](repeating: .random(in: 0...255, using: &random), count: count))
            }
          }
        }
        for round in 0..<4 {
          let isUndone = round < 3 && random.oneIn(3)
          do {
            try environment.write { transaction throws in
              for _ in 0..<3 {
                try change(transaction, 1_500)
                let isNestedUndone = random.oneIn(2)
                do {
                  try transaction.nested { nested throws in
                    try change(nested, 800)
                    if isNestedUndone { throw Refused() }
                  }
                } catch is Refused {
                  #expect(isNestedUndone)
                }
                if random.oneIn(6) { try transaction.removeAll(from: databases[0]) }
              }
              if isUndone { throw Refused() }
            }
            #expect(!isUndone)
          } catch is Refused {
            #expect(isUndone)
          }
          #expect(try environment.survey().isIntact)
        }
        return try Self.contents(environment, databases)
      }
    }
    let (early, late) = (try play(Self.maximum), try play(Int(DirtyPageRoom.whole)))
    let areEqual = early == late
    #expect(areEqual)
    #expect(late[1].count > 100)
  }

  /// LMDB writes no page early in which a cursor is.
  @Test func `cursors in more pages than the transaction may hold take nothing from it`() throws {
    try withEnvironment {
      $0.maximumDirtyPages = Self.maximum
    } _: { environment in
      var runs = 0
      let database = try environment.write { transaction throws in
        runs += 1
        let database = try transaction.createDatabase(named: "tree")
        var cursors: [OpaquePointer?] = []
        defer { for cursor in cursors { mdb_cursor_close(cursor) } }
        // Two entries fill a page.
        for number in 0..<600 {
          try transaction.put(database, key: Self.key(number), value: [UInt8](repeating: 1, count: 1_900))
          var cursor: OpaquePointer?
          try check(mdb_cursor_open(transaction.view.transaction, database.handle, &cursor), "open a cursor")
          cursors.append(cursor)
          var (key, value) = (MDB_val(), MDB_val())
          try check(mdb_cursor_get(cursor, &key, &value, MDB_LAST), "move a cursor")
        }
        return database
      }
      #expect(runs == (ForeignLayout.dirtyPages.isOn ? 2 : 1))
      #expect(try Self.contents(environment, [database])[0].count == 600)
      // The next one is held to the maximum again.
      try environment.write { transaction throws in
        let room = Int(DirtyPageRoom.room(of: transaction.view.transaction).pointee)
        #expect(room == (ForeignLayout.dirtyPages.isOn ? Self.maximum : Int(DirtyPageRoom.whole)))
      }
    }
  }

  @Test func `without the bet LMDB's own maximum holds`() async {
    await #expect(processExitsWith: .success) {
      unsetenv("TANDEM_FOREIGN_LAYOUTS")
      ForeignLayout.dirtyPages.settle(false)
      try withEnvironment {
        $0.maximumDirtyPages = Self.maximum
      } _: { environment in
        try environment.write { transaction throws in
          #expect(DirtyPageRoom.room(of: transaction.view.transaction).pointee == DirtyPageRoom.whole)
        }
      }
    }
  }
}
