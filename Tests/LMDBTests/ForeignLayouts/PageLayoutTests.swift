import ForeignLayouts
import Foundation
import TestSupport
import Testing

@testable import LMDB

/// Pages that are read where they lie, beside LMDB.
struct PageLayoutTests {
  /// Entries of which a page holds many, among such as LMDB gives pages of their own.
  private static func fill(_ environment: Environment, named name: String = "tree") throws -> Database {
    try environment.write { transaction throws in
      let database = try transaction.createDatabase(named: name)
      for number in 0..<3_000 { try transaction.put(database, key: key(number), value: value(number)) }
      return database
    }
  }

  private static func key(_ number: Int) -> [UInt8] { withUnsafeBytes(of: UInt128(number).bigEndian) { Array($0) } }

  private static func value(_ number: Int) -> [UInt8] {
    [UInt8](repeating: UInt8(number & 255), count: number.isMultiple(of: 97) ? 9_000 : number % 120)
  }

  private static func pageBytes(_ database: Database, _ view: TransactionView) throws -> Int {
    try view.statistics(database).pageSizeBytes
  }

  @Test func `the self-test of leaf pages passes for each page and fails for any other reading`() throws {
    try withEnvironment { environment in
      let database = try Self.fill(environment)
      let other = try Self.fill(environment, named: "other")
      try environment.read { transaction throws in
        let pageBytes = try Self.pageBytes(database, transaction.view)
        for number in stride(from: 0, to: 3_000, by: 7) {
          let found = try #require(try transaction.view.seek(Self.key(number), in: database))
          var page = LeafPage(around: found.key, pageBytes: pageBytes)
          #expect(page.count > 2)
          #expect(try page.agrees(with: database, in: transaction.view) == true)
          #expect(try page.agrees(with: other, in: transaction.view) == false)
          page.count -= 1
          #expect(try page.agrees(with: database, in: transaction.view) == false)
          page.count = 0
          #expect(try page.agrees(with: database, in: transaction.view) == nil)
        }
      }
    }
  }

  @Test func `the self-test of leaf pages passes for the list of databases, with a plain value among them`() throws {
    try withEnvironment { environment in
      for name in ["first", "third"] { _ = try Self.fill(environment, named: name) }
      try environment.write { transaction throws in
        try transaction.put(.main, key: "second".bytes, value: [UInt8](repeating: 3, count: 48))
      }
      try environment.read { transaction throws in
        let found = try #require(try transaction.view.seek("second".bytes, in: .main))
        let page = LeafPage(around: found.key, pageBytes: try Self.pageBytes(.main, transaction.view))
        #expect(page.count == 3)
        #expect(try page.agrees(with: .main, in: transaction.view) == true)
      }
    }
  }

  /// The same page at another place: its entries are read as well as before, and are not LMDB's.
  @Test func `the self-test of leaf pages fails where a member of the layout lies elsewhere`() throws {
    try withEnvironment { environment in
      let database = try Self.fill(environment)
      try environment.read { transaction throws in
        let pageBytes = try Self.pageBytes(database, transaction.view)
        let found = try #require(try transaction.view.seek(Self.key(1_500), in: database))
        let page = LeafPage(around: found.key, pageBytes: pageBytes)
        for shift in [0, 2, 4, 8, 16] {
          // A pointer, because a page lies at a multiple of its size.
          let copy = UnsafeMutableRawPointer.allocate(byteCount: 2 * pageBytes, alignment: pageBytes)
          defer { copy.deallocate() }
          memset(copy, 0, 2 * pageBytes)
          memcpy(copy + shift, page.start, pageBytes)
          let read = LeafPage(UnsafeRawPointer(copy), pageBytes: pageBytes)
          #expect(try read.agrees(with: database, in: transaction.view) != true, "\(shift)")
        }
      }
    }
  }

  @Test func `the self-test of a step to the next page fails for an entry that is not the next`() throws {
    try withEnvironment { environment in
      let database = try Self.fill(environment)
      try environment.read { transaction throws in
        let view = transaction.view
        let entries = try (10...13).map { try #require(try view.seek(Self.key($0), in: database)) }
        try LeafPage.withCursor(on: database, in: view) { cursor throws in
          #expect(try LeafPath.agrees(entries[1], after: entries[0].key, by: 1, with: cursor))
          #expect(try LeafPath.agrees(entries[1], after: entries[2].key, by: -1, with: cursor))
          #expect(try !LeafPath.agrees(entries[2], after: entries[0].key, by: 1, with: cursor))
          #expect(try !LeafPath.agrees(entries[1], after: entries[1].key, by: 1, with: cursor))
        }
      }
    }
  }

  @Test func `the self-test of searches fails for another value, and says nothing of none`() throws {
    try withEnvironment { environment in
      let database = try Self.fill(environment)
      try environment.read { transaction throws in
        let view = transaction.view
        let (first, second) = (try view.get(database, key: Self.key(1)), try view.get(database, key: Self.key(2)))
        let expected: [([(UInt128, RawBytes?)], Bool?)] = [
          ([(1, first), (2, second), (3, nil)], true), ([(1, first), (2, first)], false), ([(9_999, second)], false),
          ([(1, nil), (9_999, nil)], nil),
        ]
        for (found, verdict) in expected {
          let given = try TreeSearch.agrees(found, with: database, in: view)
          #expect(given == verdict)
        }
      }
    }
  }

  /// A walk on, one back, and turns at random: each entry by key, value and place in memory.
  private static func walk(
    _ view: TransactionView, _ database: Database, seed: UInt64
  ) throws -> (entries: [[UInt8]], places: [UInt], readsPages: Bool) {
    var cursor = try view.cursor(database)
    var entries: [[UInt8]] = []
    var places: [UInt] = []
    var readsPages = false
    func note(_ entry: Cursor.Entry) {
      entries.append(entry.key.copied() + entry.value.copied())
      places += [UInt(bitPattern: entry.key.start), UInt(bitPattern: entry.value.start)]
    }
    while let entry = try cursor.next() {
      note(entry)
      readsPages = readsPages || cursor.page.count > 0
    }
    while let entry = try cursor.previous() { note(entry) }
    var random = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      _ = try cursor.seek(key(Int.random(in: 0..<3_100, using: &random)))
      for _ in 0..<Int.random(in: 1..<60, using: &random) {
        guard let entry = try random.oneIn(5) ? cursor.previous() : cursor.next() else { break }
        note(entry)
      }
    }
    return (entries, places, readsPages)
  }

  @Test func `without pages walks meet the same entries at the same places, and there are no searches`() async {
    await #expect(processExitsWith: .success) {
      unsetenv("TANDEM_FOREIGN_LAYOUTS")
      let seed = SeededGenerator.announced().seed
      try withEnvironment { environment in
        let database = try Self.fill(environment)
        let fast = try environment.read { transaction throws in
          #expect(try TreeSearch(database, in: transaction.view) != nil)
          return try Self.walk(transaction.view, database, seed: seed)
        }
        ForeignLayout.pages.settle(false)
        let slow = try environment.read { transaction throws in
          #expect(try TreeSearch(database, in: transaction.view) == nil)
          return try Self.walk(transaction.view, database, seed: seed)
        }
        #expect(fast.readsPages && !slow.readsPages)
        #expect(fast.entries.count > 6_000)
        let (hasSameEntries, hasSamePlaces) = (fast.entries == slow.entries, fast.places == slow.places)
        #expect(hasSameEntries && hasSamePlaces)
      }
    }
  }

  @Test func `a first search that disagrees with LMDB gives nothing, and no page is read any more`() async {
    await #expect(processExitsWith: .success) {
      unsetenv("TANDEM_FOREIGN_LAYOUTS")
      try withEnvironment { environment in
        let database = try Self.fill(environment)
        let other = try Self.fill(environment, named: "other")
        try environment.read { transaction throws in
          var search = try #require(try TreeSearch(database, in: transaction.view))
          search.database = other
          try search.find([1, 2, 3]) { _, value in #expect(value == nil) }
          #expect(!ForeignLayout.pages.isOn)
          #expect(try TreeSearch(database, in: transaction.view) == nil)
          #expect(try !Self.walk(transaction.view, database, seed: 1).readsPages)
        }
      }
    }
  }
}

extension TransactionView {
  fileprivate func seek(_ key: [UInt8], in database: Database) throws -> Cursor.Entry? {
    var cursor = try cursor(database)
    return try cursor.seek(key)
  }
}
