import Foundation
import RecordStore
import Synchronization
import TestSupport
import Testing

struct CommitTests {
  private struct Refusal: Error {}

  @Test func `commits of eight threads all arrive, each once and in history`() throws {
    try withTemporaryStore { store throws in
      let names = try FixtureNames(store)
      let failures = Mutex<[String]>([])
      DispatchQueue.concurrentPerform(iterations: 8) { thread in
        for index in 0..<50 {
          do {
            let id = fixtureID(UInt64(thread * 100 + index))
            try store.save(names.insert("City", id, ["name": .string("\(thread)-\(index)")]))
          } catch {
            failures.withLock { $0.append("\(error)") }
          }
        }
      }
      #expect(failures.withLock { $0 } == [])
      #expect(try store.read { try $0.count(RecordQuery(entity: names.entity("City"))) } == 400)
      #expect(try store.read { try $0.history(after: 0).map(\.number) } == Array(1...400))
    }
  }

  @Test func `a failing commit among others leaves them and the store untouched`() throws {
    try withTemporaryStore(uniqueness: .throw) { store throws in
      let names = try FixtureNames(store)
      let refused = Atomic<Int>(0)
      DispatchQueue.concurrentPerform(iterations: 8) { thread in
        for index in 0..<20 {
          do {
            let id = fixtureID(UInt64(thread * 100 + index))
            try store.save(names.insert("City", id, ["name": .string("\(index)")]))
          } catch {
            refused.add(1, ordering: .relaxed)
          }
        }
      }
      #expect(refused.load(ordering: .relaxed) == 140)
      #expect(try store.read { try $0.count(RecordQuery(entity: names.entity("City"))) } == 20)
      #expect(try store.read { try $0.lastTransactionNumber } == 20)
    }
  }

  @Test func `a closure that throws changes nothing`() throws {
    try withTemporaryStore { store throws in
      #expect(throws: Refusal.self) {
        _ = try store.commit { _ throws -> (SaveRequest, Bool) in throw Refusal() }
      }
      let last = try store.read { snapshot throws in try snapshot.lastTransactionNumber }
      #expect(last == 0)
    }
  }

  @Test func `an insert with a taken unique value updates its holder and says so`() throws {
    try withTemporaryStore { store throws in
      let names = try FixtureNames(store)
      try store.save(names.insert("Trip", fixtureID(1), ["name": .string("Rome"), "rating": .int(1)]))
      let result = try store.save(
        names.insert("Trip", fixtureID(2), ["name": .string("Rome"), "isFavorite": .bool(true)]))
      #expect(result.remapped == [fixtureID(2): fixtureID(1)])
      #expect(try store.value("Trip", fixtureID(1), "isFavorite") == .bool(true))
      #expect(try store.value("Trip", fixtureID(1), "rating") == .int(1))
      #expect(try !store.isVisible("Trip", fixtureID(2)))
    }
  }

  @Test func `two records may swap a unique value in one save, and may not share it`() throws {
    try withTemporaryStore { store throws in
      let names = try FixtureNames(store)
      let (left, right) = (fixtureID(1), fixtureID(2))
      try store.save(
        names.insert("City", left, ["name": .string("a")]), names.insert("City", right, ["name": .string("b")]))
      try store.save(
        names.update("City", left, ["name": .string("b")]), names.update("City", right, ["name": .string("a")]))
      #expect(try store.value("City", left, "name") == .string("b"))
      let error = #expect(throws: StoreError.self) {
        try store.save(names.update("City", left, ["name": .string("a")]))
      }
      #expect(error?.code == .uniquenessViolation)
    }
  }

  @Test func `attributes of a group take one stamp`() throws {
    try withTemporaryStore { store throws in
      let names = try FixtureNames(store)
      try store.save(names.insert("Note", fixtureID(1), ["x": .double(1), "y": .double(2)]))
      let result = try store.save(names.update("Note", fixtureID(1), ["x": .double(5)]))
      let facts = try store.read { try $0.facts(fixtureID(1), of: names.entity("Note")) }
      let stamps = ["x", "y"].map { name in
        facts?.registers.first { $0.ordinal == names.ordinal("Note", name) }?.stamp
      }
      #expect(stamps == [result.stamp, result.stamp])
    }
  }

  @Test func `wrong requests are refused by name`() throws {
    try withTemporaryStore { store throws in
      let names = try FixtureNames(store)
      func code(_ change: RecordChange) -> StoreError.Code? {
        #expect(throws: StoreError.self) { try store.save(change) }?.code
      }
      #expect(code(.insert(entity: 99, id: fixtureID(1), fields: [])) == .invalidRequest)
      #expect(code(names.insert("Trip", fixtureID(1), ["name": .int(1)])) == .invalidRequest)
      #expect(code(names.insert("Trip", fixtureID(1), ["name": .null])) == .invalidRequest)
      #expect(code(names.insert("Stop", fixtureID(1), ["title": .string("x")])) == .invalidRequest)
      #expect(code(names.update("Trip", fixtureID(1), ["rating": .int(1)])) == .recordNotFound)
      #expect(code(names.link("Trip", fixtureID(1), "stops", fixtureID(2))) == .invalidRequest)
      #expect(try store.save(names.delete("Trip", fixtureID(1))).number == 0)
    }
  }

  @Test func `attachments are written with the records, found by prefix and removed`() throws {
    try withTemporaryStore { store throws in
      let keys = ["sync/a", "sync/b", "other"].map { [UInt8]($0.utf8) }
      let result = try store.commit(
        SaveRequest(attachments: keys.map { StoreAttachment(key: $0, value: [1]) }))
      #expect(result.number == 0)
      var found: [[UInt8]] = []
      try store.read { snapshot throws in
        try snapshot.forEachAttachment(prefix: [UInt8]("sync/".utf8)) { key, _ in
          found.append(key)
          return true
        }
      }
      #expect(found == Array(keys[..<2]))
      _ = try store.commit(SaveRequest(attachments: [.init(key: keys[0], value: nil)]))
      #expect(try store.read { try $0.attachment(keys[0]) } == nil)
    }
  }

  @Test func `changes tell each consumer of every transaction in order`() async throws {
    try await withTemporaryStore { store async throws in
      let names = try FixtureNames(store)
      let streams = [store.changes, store.changes]
      for number in 1...5 {
        try store.save(names.insert("City", fixtureID(UInt64(number)), ["name": .string("\(number)")]))
      }
      for stream in streams {
        var seen: [UInt64] = []
        for try await transaction in stream {
          seen.append(transaction.number)
          if seen.count == 5 { break }
        }
        #expect(seen == [1, 2, 3, 4, 5])
      }
    }
  }

  @Test func `ids rise strictly and are unique among threads`() {
    let all = Mutex<[RecordID]>([])
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      let ids = (0..<5000).map { _ in RecordIDGenerator.shared.next() }
      #expect(zip(ids, ids.dropFirst()).allSatisfy { $0 < $1 })
      all.withLock { $0 += ids }
    }
    #expect(Set(all.withLock { $0 }).count == 20_000)
  }
}
