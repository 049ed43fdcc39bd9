import Foundation
import LMDB
import Testing

struct PageCensusTests {
  private static func key(_ number: Int) -> [UInt8] { withUnsafeBytes(of: UInt64(number).bigEndian) { Array($0) } }

  private static func fill(_ environment: Environment, _ name: String, _ count: Int, bytes: Int) throws -> Database {
    try environment.write { transaction throws in
      let database = try transaction.createDatabase(named: name)
      for number in 0..<count {
        try transaction.put(database, key: key(number), value: [UInt8](repeating: 7, count: bytes))
      }
      return database
    }
  }

  @Test func `every tree has as many pages as it says, and no page is that of two`() throws {
    try withEnvironment { environment in
      let databases = try [
        Self.fill(environment, "deep", 20_000, bytes: 100), Self.fill(environment, "wide", 30, bytes: 9_000),
        Self.fill(environment, "small", 1, bytes: 1),
      ]
      let census = try environment.pageCensus()
      for database in databases {
        let size = try environment.read { try $0.view.statistics(database) }
        let count = size.branchPages + size.leafPages + size.overflowPages
        #expect(census.pagesByTree[database.name]?.count == count)
      }
      #expect(try census.transactionID == environment.information().lastTransactionID)
      let all = census.pagesByTree.values.reduce(into: Set()) { $0.formUnion($1) }
      #expect(all.count == census.pagesByTree.values.reduce(0) { $0 + $1.count })
      // What is left are free pages, and the other meta page.
      let pageBytes = try environment.read { try $0.view.statistics(.main).pageSizeBytes }
      #expect(try all.count < environment.information().usedBytes / pageBytes)
    }
  }

  @Test func `an empty environment has its meta page`() throws {
    try withEnvironment { environment in
      let census = try environment.pageCensus()
      #expect(census.pagesByTree.filter { !$0.value.isEmpty }.keys.sorted() == [PageCensus.metaPage])
    }
  }

  @Test func `a commit writes the pages from the changed leaf to the root, the lists and the meta page`() throws {
    try withEnvironment { environment in
      let deep = try Self.fill(environment, "deep", 20_000, bytes: 100)
      _ = try Self.fill(environment, "untouched", 100, bytes: 100)
      #expect(try environment.read { try $0.view.statistics(deep) }.depth == 3)
      let before = try environment.pageCensus()
      try environment.write { try $0.put(deep, key: Self.key(10_000), value: [1]) }
      let written = try environment.pageCensus().written(since: before)
      #expect(
        written.pagesByTree.mapValues(\.count) == [
          "deep": 3, PageCensus.databaseList: 1, PageCensus.freeList: 1, PageCensus.metaPage: 1,
        ])
      #expect(written.pageCount == 6)
      #expect((2...6).contains(written.rangeCount))
      #expect(try environment.pageCensus().written(since: environment.pageCensus()).pagesByTree.isEmpty)
    }
  }

  @Test func `pages that follow each other are one range, and the meta page is one of its own`() throws {
    try withEnvironment { environment in
      let before = try environment.pageCensus()
      _ = try Self.fill(environment, "new", 10_000, bytes: 100)
      let written = try environment.pageCensus().written(since: before)
      #expect(written.pageCount > 100)
      // A new file's pages lie in a row.
      #expect(written.rangeCount <= 3)
    }
  }

  @Test func `a plain value in the list of databases is no database and no tree`() throws {
    try withEnvironment { environment in
      let small = try Self.fill(environment, "small", 1, bytes: 1)
      let before = try environment.pageCensus()
      try environment.write { transaction in
        try transaction.put(small, key: [1], value: [2])
        try transaction.put(.main, key: "small\0beside".bytes, value: [UInt8](repeating: 3, count: 48))
      }
      let census = try environment.pageCensus()
      #expect(census.pagesByTree.keys.sorted() == before.pagesByTree.keys.sorted())
      #expect(census.written(since: before).pagesByTree[PageCensus.databaseList]?.count == 1)
      #expect(try environment.read { try $0.view.databaseNames() } == ["small"])
      let value = try environment.read { try $0.view.get(.main, key: "small\0beside".bytes)?.copied() }
      #expect(value == [UInt8](repeating: 3, count: 48))
    }
  }
}
