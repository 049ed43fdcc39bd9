import LMDB
import TestSupport
import Testing

@testable import RecordStore

/// What authors had seen, where history does not tell any more.
struct ContextTableTests {
  private func stamp(_ time: UInt64, _ counter: UInt16 = 0, of replica: UInt64) -> Stamp {
    Stamp(time: time, counter: counter, replica: ReplicaID(replica))
  }

  private func vector(_ sequence: UInt64) -> VersionVector {
    VersionVector(entries: [ReplicaID(1): .init(sequence: sequence, stamp: stamp(sequence, of: 1))])
  }

  @Test func `a context holds from its stamp to the replica's next one, and not for other replicas`() throws {
    try withTemporaryStore { store in
      try store.write { transaction, layout throws -> (Void, StoreLayout) in
        let table = try #require(layout.databases.classTables).contexts
        for (since, context) in [
          (stamp(10, of: 5), vector(1)), (stamp(20, 3, of: 5), vector(2)), (stamp(15, of: 6), vector(3)),
        ] {
          try transaction.put(table, key: ContextTable.key(since), value: ContextTable.value(of: context))
        }
        return ((), layout)
      }
      try store.read { snapshot throws in
        let database = try #require(snapshot.layout.databases.classTables).contexts
        let table = ContextTable(snapshot.transaction, database)
        #expect(try table.context(of: stamp(9, of: 5)) == nil)
        #expect(try table.context(of: stamp(10, of: 5)) == vector(1))
        #expect(try table.context(of: stamp(20, 2, of: 5)) == vector(1))
        #expect(try table.context(of: stamp(20, 3, of: 5)) == vector(2))
        #expect(try table.context(of: stamp(.max, .max, of: 5)) == vector(2))
        #expect(try table.context(of: stamp(14, of: 6)) == nil)
        #expect(try table.context(of: stamp(99, of: 7)) == nil)
      }
    }
  }

  @Test func `an entry comes back from its bytes, and a wrong key or a short vector is damaged`() throws {
    let since = stamp(0x0102, 3, of: 4)
    let (key, value) = (ContextTable.key(since), ContextTable.value(of: vector(9)))
    func entry(_ key: [UInt8], _ value: [UInt8]) throws -> CausalContext {
      try key.withRawBytes { key throws in try value.withRawBytes { value throws in try ContextTable.entry(key, value) }
      }
    }
    #expect(try entry(key, value) == CausalContext(since: since, context: vector(9)))
    for (key, value) in [(Array(key.dropLast()), value), (key + [0], value), (key, Array(value.dropLast()))] {
      let error = #expect(throws: StoreError.self) { try entry(key, value) }
      #expect(error?.code == .damaged)
    }
  }

  @Test func `contexts that say what the one before says are left out, for each replica`() {
    let contexts = [
      CausalContext(since: stamp(3, of: 2), context: vector(2)),
      CausalContext(since: stamp(1, of: 2), context: vector(1)),
      CausalContext(since: stamp(2, of: 2), context: vector(1)),
      CausalContext(since: stamp(9, of: 1), context: vector(1)),
      CausalContext(since: stamp(4, of: 2), context: vector(1)),
    ]
    let changes = CausalContext.changes(of: contexts)
    #expect(changes.map(\.since) == [stamp(9, of: 1), stamp(1, of: 2), stamp(3, of: 2), stamp(4, of: 2)])
    #expect(CausalContext.changes(of: []).isEmpty)
  }
}
