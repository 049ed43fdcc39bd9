import ForeignLayouts
import Foundation
import LMDB
import Testing

/// Trees with keys of sixteen bytes, searched beside `get`. Where LMDB's pages are not read there is no search.
@Suite(.enabled(if: ForeignLayout.pages.isOn))
struct TreeSearchTests {
  /// Values of which a page holds many, several and two, and such as LMDB gives pages of their own.
  private static let lengths = [0, 1, 17, 280, 1_500, 2_100, 9_000]
  private static let longestInPage = 1_500

  private static func key(_ number: UInt128) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }

  /// Close together and far apart, in no order.
  private static func numbers(_ count: Int) -> [UInt128] {
    (0..<UInt128(count)).map { $0.isMultiple(of: 3) ? $0 : $0 &* 0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835 }
  }

  private static func value(_ number: UInt128, _ round: Int) -> [UInt8] {
    let place = Int(truncatingIfNeeded: number % 1_000) + round
    return [UInt8](repeating: UInt8(truncatingIfNeeded: place), count: lengths[place % lengths.count])
  }

  private static func fill(_ environment: Environment, _ numbers: [UInt128], round: Int = 0) throws -> Database {
    try environment.write { transaction throws in
      let database = try transaction.createDatabase(named: "tree")
      for number in numbers { try transaction.put(database, key: key(number), value: value(number, round)) }
      return database
    }
  }

  /// What is found, in batches of all sizes.
  private static func values(of numbers: [UInt128], by search: TreeSearch) throws -> [[UInt8]?] {
    var values: [[UInt8]?] = []
    var size = 0
    while values.count < numbers.count {
      size = size % TreeSearch.maximumCount + 1
      let first = values.count
      try search.find(Array(numbers[first...].prefix(size))) { place, value in
        #expect(first + place == values.count)
        values.append(value?.copied())
      }
    }
    return values
  }

  @Test(arguments: [1, 2, 15, 500, 20_000])
  func `a search finds every value that lies in its page, and nothing else`(count: Int) throws {
    let numbers = Self.numbers(count)
    try withEnvironment { environment in
      let database = try Self.fill(environment, numbers)
      let asked = numbers + numbers.map { $0 &+ 1 } + [0, .max]
      try environment.read { transaction throws in
        let search = try #require(try TreeSearch(database, in: transaction.view))
        let wrong = try zip(asked, Self.values(of: asked, by: search)).filter { number, value in
          let expected = try transaction.view.get(database, key: Self.key(number))?.copied()
          return value != expected.flatMap { $0.count > Self.longestInPage ? nil : $0 }
        }
        #expect(wrong.map(\.0) == [])
      }
    }
  }

  @Test func `a search sees its own snapshot, whatever is committed meanwhile`() throws {
    let numbers = Self.numbers(2_000)
    try withEnvironment { environment in
      let database = try Self.fill(environment, numbers)
      try environment.read { transaction throws in
        let search = try #require(try TreeSearch(database, in: transaction.view))
        let before = try Self.values(of: numbers, by: search)
        for round in 1...5 { _ = try Self.fill(environment, numbers, round: round) }
        let later = try #require(try TreeSearch(database, in: transaction.view))
        for search in [search, later] {
          let isAsBefore = try Self.values(of: numbers, by: search) == before
          #expect(isAsBefore)
        }
      }
      try environment.read { transaction throws in
        let search = try #require(try TreeSearch(database, in: transaction.view))
        let wrong = try zip(numbers, Self.values(of: numbers, by: search)).filter { number, value in
          let expected = Self.value(number, 5)
          return value != (expected.count > Self.longestInPage ? nil : expected)
        }
        #expect(wrong.map(\.0) == [])
      }
    }
  }

  @Test func `a write transaction and an empty tree have no search`() throws {
    try withEnvironment { environment in
      let empty = try environment.write { try $0.createDatabase(named: "empty") }
      let database = try Self.fill(environment, Self.numbers(100))
      try environment.write { transaction throws in
        #expect(try TreeSearch(database, in: transaction.view) == nil)
        try transaction.put(database, key: Self.key(5), value: [1])
        #expect(try TreeSearch(database, in: transaction.view) == nil)
      }
      try environment.read { transaction throws in
        #expect(try TreeSearch(empty, in: transaction.view) == nil)
      }
    }
  }

  @Test func `keys of other lengths are never taken for those that are searched`() throws {
    try withEnvironment { environment in
      let numbers = Self.numbers(3_000)
      let database = try environment.write { transaction throws in
        let database = try transaction.createDatabase(named: "tree")
        for (place, number) in numbers.enumerated() {
          let key = Self.key(number)
          // The third goes on where the first would end.
          let keys = [key, Array(key.dropLast(3)), key + key]
          try transaction.put(database, key: keys[place % 3], value: [UInt8(place % 3)])
        }
        return database
      }
      try environment.read { transaction throws in
        let search = try #require(try TreeSearch(database, in: transaction.view))
        for (number, value) in zip(numbers, try Self.values(of: numbers, by: search)) {
          guard let value else { continue }
          #expect(try transaction.view.get(database, key: Self.key(number))?.copied() == value)
        }
      }
    }
  }

  /// Wrong bytes in heads, offsets and nodes of the tree's pages. The pages that LMDB itself reads stay as they are.
  @Test(arguments: 1...20)
  func `whatever the pages of a damaged tree say, a search comes back`(round: Int) throws {
    let directory = try TemporaryDirectory()
    var options = Environment.Options()
    options.durability = .unsafeNoSync
    let numbers = Self.numbers(5_000)
    let name = try Self.fill(try Environment.open(at: directory.path, options: options), numbers).name
    let file = URL(fileURLWithPath: directory.path + "/data.mdb")
    var data = try Data(contentsOf: file)
    var random = UInt64(round)
    func next(below bound: Int) -> Int {
      random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(random >> 33) % bound
    }
    for start in stride(from: 2 * 4_096, to: data.count, by: 4_096) {
      guard data[start..<start + 4_096].range(of: Data(name.utf8)) == nil else { continue }
      for _ in 0..<next(below: 8) {
        data[start + next(below: next(below: 2) == 0 ? 64 : 4_096)] = UInt8(next(below: 256))
      }
    }
    try data.write(to: file)
    let environment = try Environment.open(at: directory.path, options: options)
    let database = try #require(try environment.database(named: name))
    try environment.read { transaction throws in
      let search = try #require(try TreeSearch(database, in: transaction.view))
      #expect(try Self.values(of: numbers, by: search).count == numbers.count)
    }
  }
}
