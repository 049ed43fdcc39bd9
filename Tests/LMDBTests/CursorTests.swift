import Foundation
import LMDB
import TestSupport
import Testing

struct CursorTests {
  private func withLetters(_ body: (inout Cursor) throws -> Void) throws {
    try withEnvironment { environment in
      let database = try environment.write { transaction in
        let database = try transaction.createDatabase(named: "letters")
        for letter in ["b", "d", "f"] { try transaction.put(database, key: letter.bytes, value: [1]) }
        return database
      }
      try environment.read { transaction in
        var cursor = try transaction.view.cursor(database)
        try body(&cursor)
      }
    }
  }

  @Test func `a cursor walks forwards and backwards in key order`() throws {
    try withLetters { (cursor: inout Cursor) throws in
      #expect(try cursor.next()?.key.text == "b")
      #expect(try cursor.next()?.key.text == "d")
      #expect(try cursor.next()?.key.text == "f")
      #expect(try cursor.next() == nil)
      #expect(try cursor.last()?.key.text == "f")
      #expect(try cursor.previous()?.key.text == "d")
      #expect(try cursor.first()?.key.text == "b")
      #expect(try cursor.previous() == nil)
    }
  }

  @Test(arguments: ["a", "b", "c", "d", "e", "f", "g"])
  func `seeking finds the neighbours of any key`(text: String) throws {
    let letters = ["b", "d", "f"]
    try withLetters { (cursor: inout Cursor) throws in
      let (exact, following, preceding) = try text.bytes.withRawBytes { key in
        (
          try cursor.seek(exactly: key)?.key.text, try cursor.seek(key)?.key.text,
          try cursor.seek(before: key)?.key.text
        )
      }
      #expect(exact == letters.first { $0 == text })
      #expect(following == letters.first { $0 >= text })
      #expect(preceding == letters.last { $0 < text })
    }
  }

  @Test func `an empty database has no first and no last entry`() throws {
    try withEnvironment { environment in
      try environment.write { transaction in
        var cursor = try transaction.view.cursor(try transaction.createDatabase(named: "letters"))
        #expect(try cursor.first() == nil)
        #expect(try cursor.last() == nil)
        #expect(try cursor.seek("a".bytes) == nil)
      }
    }
  }

  @Test func `a cursor follows what its write transaction puts and deletes`() throws {
    try withEnvironment { environment in
      try environment.write { transaction in
        let database = try transaction.createDatabase(named: "letters")
        for letter in ["a", "b", "c"] { try transaction.put(database, key: letter.bytes, value: []) }
        var cursor = try transaction.view.cursor(database)
        #expect(try cursor.first()?.key.text == "a")
        try transaction.delete(database, key: "a".bytes)
        #expect(try cursor.next()?.key.text == "b")
        try transaction.put(database, key: "bb".bytes, value: [])
        #expect(try cursor.next()?.key.text == "bb")
      }
    }
  }

  /// Values of which a page holds many and few, and such as LMDB gives pages of their own, among each other.
  private static let lengths: [ClosedRange<Int>] = [0...8, 0...300, 1_000...1_900, 0...9_000, 3_000...9_000]

  @Test(arguments: lengths.indices, [1, 2, 40, 3_000])
  func `a walk that turns and seeks meets what a sorted list has, in a snapshot and in a write`(
    kind: Int, count: Int
  ) throws {
    var random = SeededGenerator.announced()
    var entries: [(key: [UInt8], value: [UInt8])] = (0..<count).map { number in
      let key = withUnsafeBytes(of: UInt32(2 * number + 1).bigEndian) { Array($0) }
      let length = Int.random(in: Self.lengths[kind], using: &random)
      return (key + [UInt8](repeating: 1, count: number % 3), [UInt8](repeating: UInt8(number & 255), count: length))
    }
    try withEnvironment { environment in
      let database = try environment.write { transaction throws in
        let database = try transaction.createDatabase(named: "entries")
        for entry in entries.shuffled(using: &random) {
          try transaction.put(database, key: entry.key, value: entry.value)
        }
        return database
      }
      try environment.read { try expectWalks(through: entries, $0.view, database, &random) }
      try environment.write { transaction throws in
        entries.removeSubrange(0..<(count / 2))
        for number in 0..<(count / 2) {
          let key = withUnsafeBytes(of: UInt32(2 * number + 1).bigEndian) { Array($0) }
          try transaction.delete(database, key: key + [UInt8](repeating: 1, count: number % 3))
        }
        try expectWalks(through: entries, transaction.view, database, &random)
      }
      try environment.read { try expectWalks(through: entries, $0.view, database, &random) }
    }
  }

  private func expectWalks(
    through entries: [(key: [UInt8], value: [UInt8])], _ view: TransactionView, _ database: Database,
    _ random: inout SeededGenerator
  ) throws {
    var cursor = try view.cursor(database)
    var whole: [[UInt8]] = []
    while let entry = try cursor.next() { whole.append(entry.key.copied()) }
    let isWhole = whole == entries.map(\.key)
    #expect(isWhole)
    for _ in 0..<60 {
      var place: Int?
      var found: Cursor.Entry?
      let key = withUnsafeBytes(of: UInt32.random(in: 0...UInt32(2 * entries.count + 2), using: &random).bigEndian) {
        Array($0)
      }
      switch Int.random(in: 0..<5, using: &random) {
      case 0: (place, found) = (entries.indices.first, try cursor.first())
      case 1: (place, found) = (entries.indices.last, try cursor.last())
      case 2:
        place = entries.firstIndex { !$0.key.lexicographicallyPrecedes(key) }
        found = try cursor.seek(key)
      case 3:
        place = entries.lastIndex { $0.key.lexicographicallyPrecedes(key) }
        found = try key.withRawBytes { try cursor.seek(before: $0) }
      default:
        guard let some = entries.indices.randomElement(using: &random) else { continue }
        place = some
        found = try entries[some].key.withRawBytes { try cursor.seek(exactly: $0) }
      }
      for _ in 0..<Int.random(in: 1...80, using: &random) {
        #expect(found?.key.copied() == place.map { entries[$0].key })
        #expect(found?.value.copied() == place.map { entries[$0].value })
        guard let here = place else { break }
        // Mostly on, sometimes to and fro.
        let isForward = Int.random(in: 0..<8, using: &random) > 1
        found = try isForward ? cursor.next() : cursor.previous()
        place = isForward ? here + 1 : here - 1
        if place.map(entries.indices.contains) == false { place = nil }
      }
    }
  }

  /// A twin: a set.
  @Test func `an insert that may append puts an entry behind all others or in its place, and no key twice`() throws {
    var random = SeededGenerator.announced()
    try withEnvironment { environment in
      let database = try environment.write { try $0.createDatabase(named: "numbers") }
      var twin: Set<String> = []
      try environment.write { transaction in
        let cursor = try transaction.writeCursor(database)
        for number in 0..<2_000 {
          // Behind all others, or among some of them.
          let value = random.oneIn(2) ? 5_000 + number : Int.random(in: 0..<1_500, using: &random)
          let name = String(format: "%04d", value)
          let isNew = try name.bytes.withRawBytes { try cursor.insert(key: $0, value: $0, mode: .append) }
          let (isExpected, _) = twin.insert(name)
          #expect(isNew == isExpected)
        }
      }
      try environment.read { transaction in
        var found: [String] = []
        var cursor = try transaction.view.cursor(database)
        while let entry = try cursor.next() { found.append(entry.key.text) }
        #expect(found == twin.sorted())
      }
    }
  }

  /// A twin: an array that knows which key lies how far before the place.
  @Test func `a write cursor deletes a key a few steps back and no other`() throws {
    var random = SeededGenerator.announced()
    try withEnvironment { environment in
      let database = try environment.write { try $0.createDatabase(named: "numbers") }
      // By name what is there; several pages of it, and deletes that join them.
      var twin = (0..<3_000).map { String(format: "%04d", $0) }
      try environment.write { transaction in
        for name in twin {
          let value = [UInt8](repeating: 7, count: Int.random(in: 0..<60, using: &random))
          try transaction.put(database, key: name.bytes, value: value)
        }
        let cursor = try transaction.writeCursor(database)
        while twin.count > 100 {
          let place = Int.random(in: 0..<twin.count, using: &random)
          let isThere = try twin[place].bytes.withRawBytes { try cursor.delete(key: $0) }
          #expect(isThere)
          twin.remove(at: place)
          try deleteNear(place, of: &twin, cursor, &random)
        }
      }
      try environment.read { transaction in
        var left: [String] = []
        var cursor = try transaction.view.cursor(database)
        while let entry = try cursor.next() { left.append(entry.key.text) }
        #expect(left == twin)
      }
    }
  }

  /// Deletes keys before a place of the cursor's, until one is too far away.
  private func deleteNear(
    _ place: Int, of twin: inout [String], _ cursor: borrowing WriteCursor, _ random: inout SeededGenerator
  ) throws {
    var place = place
    while place > 0 {
      let steps = Int.random(in: 1...3, using: &random)
      let distance = min(place, Int.random(in: 1...4, using: &random))
      let isThere = try twin[place - distance].bytes.withRawBytes { try cursor.delete(key: $0, back: steps) }
      #expect(isThere == (distance <= steps))
      guard isThere else { return }
      place -= distance
      twin.remove(at: place)
    }
  }
}
