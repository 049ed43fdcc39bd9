import Dispatch
import ForeignLayouts
import Foundation
import Testing

@testable import LMDB

/// Parts of trees, walked beside a cursor. Where LMDB's pages are not read there are none.
@Suite(.enabled(if: ForeignLayout.pages.isOn))
struct TreePartTests {
  private static func key(_ number: Int) -> [UInt8] {
    // Keys of many lengths, in the order of their numbers.
    withUnsafeBytes(of: UInt32(number).bigEndian) { Array($0) } + [UInt8](repeating: 7, count: number % 200)
  }

  private static func fill(_ environment: Environment, count: Int, valueBytes: (Int) -> Int) throws -> Database {
    try environment.write { transaction throws in
      let database = try transaction.createDatabase(named: "tree")
      for number in 0..<count {
        try transaction.put(database, key: key(number), value: [UInt8](repeating: 1, count: valueBytes(number)))
      }
      return database
    }
  }

  private static func entries(_ next: () throws -> Cursor.Entry?) rethrows -> [Cursor.Entry] {
    var entries: [Cursor.Entry] = []
    while let entry = try next() { entries.append(entry) }
    return entries
  }

  @Test(arguments: [300, 5_000, 60_000])
  func `the parts of a tree are the tree, each entry once and in order`(count: Int) throws {
    try withEnvironment { environment in
      let database = try Self.fill(environment, count: count) { $0 % 90 }
      try environment.read { transaction throws in
        var cursor = try transaction.view.cursor(database)
        let all = try Self.entries { try cursor.next() }
        #expect(all.count == count)
        for number in [1, 2, 3, 4, 7, 64, 5_000] {
          var parts = try #require(try TreePart.parts(number, of: database, in: transaction.view))
          var found: [Cursor.Entry] = []
          for place in parts.indices {
            let entries = Self.entries { parts[place].next() }
            #expect(entries.count == parts[place].count)
            // Nothing comes behind the end.
            #expect(parts[place].next() == nil && parts[place].count == entries.count)
            found += entries
          }
          #expect(found.count == all.count && zip(found, all).allSatisfy { $0.isSameMemory($1) })
          if number < 8, count > 300 {
            #expect(parts.allSatisfy { $0.count > count / number * 3 / 4 }, "\(parts.map(\.count))")
          }
        }
      }
    }
  }

  @Test func `several threads walk parts of one snapshot while others commit`() throws {
    try withEnvironment { environment in
      let database = try Self.fill(environment, count: 20_000) { _ in 50 }
      try environment.read { transaction throws in
        let parts = try #require(try TreePart.parts(4, of: database, in: transaction.view))
        let counts = parts.map { Counter($0) }
        DispatchQueue.concurrentPerform(iterations: 5) { number in
          if number < 4 { return counts[number].run() }
          #expect(throws: Never.self) {
            try environment.write { transaction throws in
              for number in 0..<20_000 { try transaction.delete(database, key: Self.key(number)) }
            }
          }
        }
        #expect(counts.reduce(0) { $0 + $1.count } == 20_000)
      }
    }
  }

  /// `@unchecked Sendable` because one thread runs it, and another looks at it afterwards.
  private final class Counter: @unchecked Sendable {
    private var part: TreePart
    private(set) var count = 0
    init(_ part: TreePart) { self.part = part }
    func run() { while let entry = part.next() { count += entry.value.count / 50 } }
  }

  @Test func `a damaged page whose list ends within its first place has no nodes that could be read`() throws {
    var page = [UInt8](repeating: 0, count: 4096)
    page.withUnsafeMutableBytes { page in
      for kind in [TreePage.Kind.branch, .leaf] {
        page.storeBytes(of: kind.rawValue, toByteOffset: 10, as: UInt16.self)
        for (end, count) in [(16, nil), (17, nil), (18, 1), (20, 2), (4096, 2040), (4097, nil)] as [(UInt16, Int?)] {
          page.storeBytes(of: end, toByteOffset: 12, as: UInt16.self)
          guard let start = page.baseAddress else { continue }
          #expect(TreePage.count(of: start, kind, pageBytes: 4096) == count)
        }
      }
    }
  }

  @Test func `trees that LMDB must be asked for have no parts`() throws {
    try withEnvironment { environment in
      let empty = try Self.fill(environment, count: 0) { _ in 0 }
      try environment.read { transaction throws in
        #expect(try TreePart.parts(2, of: empty, in: transaction.view) == nil)
      }
      let small = try Self.fill(environment, count: 3) { _ in 10 }
      try environment.read { transaction throws in
        #expect(try TreePart.parts(2, of: small, in: transaction.view) == nil)
      }
      let large = try Self.fill(environment, count: 2_000) { $0 == 1_000 ? 9_000 : 10 }
      try environment.read { transaction throws in
        #expect(try TreePart.parts(2, of: large, in: transaction.view) == nil)
      }
      try environment.write { transaction throws in
        try transaction.put(large, key: Self.key(1_000), value: [1])
        #expect(try TreePart.parts(2, of: large, in: transaction.view) == nil)
      }
    }
  }
}
