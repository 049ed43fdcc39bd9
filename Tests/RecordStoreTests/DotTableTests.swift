import LMDB
import TestSupport
import Testing

@testable import RecordStore

/// The names of transactions that history does not tell.
struct DotTableTests {
  private let replica = ReplicaID(7)

  private func stamp(_ sequence: UInt64, of replica: ReplicaID) -> Stamp {
    Stamp(time: 1_000 + sequence * 10, counter: UInt16(sequence % 3), replica: replica)
  }

  /// A store whose table has these names, the number of each a hundred above its sequence.
  private func withRows(_ rows: [ReplicaID: [UInt64]], _ body: (DotTable) throws -> Void) throws {
    // Names without their transactions: nothing for the store's own check.
    let temporary = try TemporaryStore()
    try temporary.store.write { transaction, layout throws -> (Void, StoreLayout) in
      for (name, sequences) in rows {
        for sequence in sequences {
          let dot = Dot(replica: name, sequence: sequence)
          try DotTable.put(dot, number: sequence + 100, stamp: stamp(sequence, of: name), layout, in: transaction)
        }
      }
      return ((), layout)
    }
    try temporary.store.read { snapshot throws in
      try body(DotTable(snapshot.transaction, snapshot.layout.databases))
    }
  }

  /// The replica and its neighbours, each with the same names.
  private func withRows(_ sequences: [UInt64], _ body: (DotTable) throws -> Void) throws {
    try withRows([ReplicaID(6): sequences, replica: sequences, ReplicaID(8): sequences], body)
  }

  @Test func `a row is found by its name, and no other`() throws {
    try withRows([1, 2, 9]) { table throws in
      let row = try #require(try table.row(of: Dot(replica: replica, sequence: 9)))
      #expect(row.number == 109 && row.stamp == stamp(9, of: replica) && row.dot.sequence == 9)
      #expect(try table.row(of: Dot(replica: replica, sequence: 3)) == nil)
      #expect(try table.row(of: Dot(replica: ReplicaID(9), sequence: 1)) == nil)
    }
  }

  @Test func `the next row of a replica does not run into another replica's`() throws {
    try withRows([2, 5]) { table throws in
      #expect(try table.row(of: replica, after: 0)?.dot.sequence == 2)
      #expect(try table.row(of: replica, after: 2)?.dot.sequence == 5)
      #expect(try table.row(of: replica, after: 5) == nil)
      #expect(try table.row(of: replica, after: .max) == nil)
    }
  }

  /// Every set of up to ten sequences, of a replica of its own, with every stamp of theirs and those between.
  @Test func `a row is found by its stamp however many names are missing between`() throws {
    var rows: [ReplicaID: [UInt64]] = [:]
    for set in 0..<1024 as Range<UInt64> {
      rows[ReplicaID(set + 10)] = (1...10).filter { set & 1 << ($0 - 1) != 0 }
    }
    try withRows(rows) { table throws in
      for (replica, sequences) in rows {
        for sequence in 1...10 as ClosedRange<UInt64> {
          let found = try table.row(with: stamp(sequence, of: replica))
          #expect(found?.dot.sequence == (sequences.contains(sequence) ? sequence : nil), "of \(sequences)")
          let between = Stamp(time: 1_005 + sequence * 10, counter: 0, replica: replica)
          #expect(try table.row(with: between) == nil, "between those of \(sequences)")
        }
      }
      #expect(try table.row(with: stamp(1, of: ReplicaID(5))) == nil)
    }
  }

  @Test func `all rows come by replica and sequence`() throws {
    try withRows([300, 1, 2]) { table throws in
      var dots: [Dot] = []
      try table.forEach { dots.append($0.dot) }
      #expect(dots == dots.sorted() && dots.count == 9)
    }
  }
}
