import LMDB
import TestSupport
import Testing

/// Sections of one tree, beside databases of their own that get the same.
struct KeySectionTests {
  private struct Pair {
    let section: Database
    let twin: Database
  }

  private static let numbers: [UInt16] = [0, 1, 7, 255, 256, .max]

  private static func pairs(_ environment: Environment) throws -> [Pair] {
    try environment.write { transaction throws in
      let tree = try transaction.createDatabase(named: "tree")
      return try numbers.map { number in
        Pair(section: tree.section(number), twin: try transaction.createDatabase(named: "twin \(number)"))
      }
    }
  }

  private static func key(using generator: inout SeededGenerator) -> [UInt8] {
    let bytes: [UInt8] = [0, 1, 2, 254, 255]
    return (0..<Int.random(in: 1...4, using: &generator)).map { _ in generator.pick(bytes) }
  }

  /// All entries in both directions, as a cursor gives them.
  private static func entries(_ database: Database, _ view: TransactionView) throws -> [[UInt8]] {
    var found: [[UInt8]] = []
    var cursor = try view.cursor(database)
    while let entry = try cursor.next() { found += [entry.key.copied(), entry.value.copied()] }
    // From beyond the end back to the last one.
    var back = try view.cursor(database)
    while let entry = try back.previous() { found += [entry.key.copied(), entry.value.copied()] }
    return found
  }

  private static func answers(_ database: Database, _ key: [UInt8], _ view: TransactionView) throws -> [[UInt8]?] {
    var cursor = try view.cursor(database)
    var found: [[UInt8]?] = [try view.get(database, key: key)?.copied()]
    found.append(try cursor.seek(key)?.key.copied())
    found.append(try cursor.next()?.key.copied())
    found.append(try key.withRawBytes { key throws in try cursor.seek(exactly: key) }?.value.copied())
    found.append(try key.withRawBytes { key throws in try cursor.seek(before: key) }?.key.copied())
    found.append(try cursor.first()?.key.copied())
    found.append(try cursor.last()?.key.copied())
    found.append(try cursor.previous()?.key.copied())
    return found
  }

  private static func expectEqual(_ pairs: [Pair], _ key: [UInt8], _ view: TransactionView) throws {
    for pair in pairs {
      #expect(try entries(pair.section, view) == entries(pair.twin, view))
      #expect(try answers(pair.section, key, view) == answers(pair.twin, key, view))
      #expect(try view.isEmpty(pair.section) == view.isEmpty(pair.twin))
    }
  }

  private static func change(
    _ pair: Pair, using generator: inout SeededGenerator, in transaction: borrowing WriteTransaction
  ) throws {
    let (key, value) = (key(using: &generator), [UInt8](repeating: 9, count: Int.random(in: 0...40, using: &generator)))
    let kind = Int.random(in: 0..<6, using: &generator)
    let mode: WriteTransaction.PutMode = generator.oneIn(2) ? .append : .insert
    var outcomes: [Bool] = []
    for database in [pair.section, pair.twin] {
      switch kind {
      case 0, 1: try transaction.put(database, key: key, value: value)
      case 2: outcomes.append(try transaction.delete(database, key: key))
      case 3:
        let cursor = try transaction.writeCursor(database)
        outcomes.append(
          try key.withRawBytes { key throws in
            try value.withRawBytes { try cursor.insert(key: key, value: $0, mode: mode) }
          })
      case 4:
        let cursor = try transaction.writeCursor(database)
        outcomes.append(try key.withRawBytes { key throws in try cursor.delete(key: key) })
      default:
        // Behind the last one of this database, which need not be the last of the tree.
        var reader = try transaction.view.cursor(database)
        let last = try reader.last()?.key.copied() ?? []
        guard last.count < 40 else { continue }
        try transaction.put(database, key: last + [1], value: value, mode: .append)
      }
    }
    #expect(outcomes.first == outcomes.last)
  }

  @Test func `a section is as a database of its own, whatever its neighbours hold`() throws {
    var generator = SeededGenerator.announced()
    for _ in 0..<10 {
      try withEnvironment { environment in
        let pairs = try Self.pairs(environment)
        for _ in 0..<30 {
          try environment.write { transaction in
            for _ in 0..<20 { try Self.change(generator.pick(pairs), using: &generator, in: transaction) }
            if generator.oneIn(8) {
              let pair = generator.pick(pairs)
              for database in [pair.section, pair.twin] { try transaction.removeAll(from: database) }
            }
            try Self.expectEqual(pairs, Self.key(using: &generator), transaction.view)
          }
          try environment.read { try Self.expectEqual(pairs, Self.key(using: &generator), $0.view) }
        }
      }
    }
  }

  /// Walks of readers leave LMDB behind; see `LeafPage`.
  @Test func `walks over many pages end where the section does`() throws {
    try withEnvironment { environment in
      let pairs = try Self.pairs(environment)
      try environment.write { transaction in
        for number in 0..<3_000 {
          let key = withUnsafeBytes(of: UInt32(number).bigEndian) { Array($0) }
          for pair in pairs {
            for database in [pair.section, pair.twin] {
              try transaction.put(database, key: key, value: [UInt8](repeating: 5, count: 60), mode: .append)
            }
          }
        }
      }
      try environment.read { try Self.expectEqual(pairs, [0, 0, 5], $0.view) }
    }
  }

  @Test func `a section that is the last of its tree fills its pages when it is appended to`() throws {
    try withEnvironment { environment in
      let pair = try #require(try Self.pairs(environment).last)
      try environment.write { transaction in
        for number in 0..<3_000 {
          let key = withUnsafeBytes(of: UInt32(number).bigEndian) { Array($0) }
          for database in [pair.section, pair.twin] {
            try transaction.put(database, key: key, value: [UInt8](repeating: 5, count: 60), mode: .append)
          }
        }
      }
      let (tree, twin) = try environment.read { transaction in
        (try transaction.view.statistics(pair.section), try transaction.view.statistics(pair.twin))
      }
      #expect(tree.leafPages <= twin.leafPages + twin.leafPages / 20)
    }
  }
}
