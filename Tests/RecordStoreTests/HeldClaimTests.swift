import LMDB
import TestSupport
import Testing

@testable import RecordStore

/// Which unique values a record held, and when: worked out from its writes.
struct HeldClaimTests {
  private func stamp(_ time: UInt64) -> Stamp { Stamp(time: time, counter: 0, replica: ReplicaID(1)) }

  /// The stop's key is of its trip and its position, whose default is 0.
  private func claims(
    trip: [(time: UInt64, id: RecordID?)], position: [(time: UInt64, value: Int64)], isInserted: Bool = true
  ) throws -> [HeldClaim] {
    let catalogue = try withTemporaryStore { try $0.read { $0.catalogue } }
    let entity = try #require(catalogue.entity(named: "Stop"))
    let index = try #require(entity.indexes.first { $0.isUnique && $0.components.count == 2 })
    let names = FixtureNames(catalogue)
    let writes =
      trip.map { (names.ordinal("Stop", "trip"), stamp($0.time), $0.id.map { FieldValue.reference($0) } ?? .null) }
      + position.map { (names.ordinal("Stop", "position"), stamp($0.time), FieldValue.int($0.value)) }
    var facts = RecordFacts(entity: entity.number, id: fixtureID(9), isInserted: isInserted)
    var past: [PastWrite] = []
    // The newest write of a field is its register, the others are past.
    for (ordinal, stamp, value) in writes.sorted(by: { $0.1 < $1.1 }) {
      if let register = facts.register(at: ordinal) {
        past.append(PastWrite(ordinal: ordinal, stamp: register.stamp, value: register.value))
      }
      facts.set(value, at: ordinal, stamp: stamp)
    }
    return HeldClaim.all(of: facts, past, index, entity)
  }

  private func span(_ claims: [HeldClaim]) -> [[UInt64?]] { claims.map { [$0.start.time, $0.end?.time] } }

  @Test func `a value is held from the write of its last component to the next write of any`() throws {
    let found = try claims(trip: [(1, fixtureID(1)), (5, fixtureID(2))], position: [(3, 7), (8, 9)])
    #expect(span(found) == [[3, 5], [5, 8], [8, nil]])
    #expect(found.map(\.references) == [[fixtureID(1)], [fixtureID(2)], [fixtureID(2)]])
    #expect(Set(found.map(\.key)).count == 3)
  }

  @Test func `a component that was never written has its default from the record's beginning`() throws {
    let found = try claims(trip: [(4, fixtureID(1))], position: [])
    #expect(span(found) == [[4, nil]])
    #expect(found.first?.writes.contains(.zero) == true)
  }

  @Test func `a key with a null component holds nothing`() throws {
    let found = try claims(trip: [(1, fixtureID(1)), (5, nil), (7, fixtureID(1))], position: [(1, 7)])
    #expect(span(found) == [[1, 5], [7, nil]])
    #expect(found.first?.key == found.last?.key)
  }

  @Test func `a write of an equal value begins a claim of its own`() throws {
    let found = try claims(trip: [(1, fixtureID(1))], position: [(1, 7), (6, 7)])
    #expect(span(found) == [[1, 6], [6, nil]])
    #expect(found.first?.key == found.last?.key && found.first?.components == found.last?.components)
  }

  @Test func `a record that was only heard of holds nothing`() throws {
    #expect(try claims(trip: [(1, fixtureID(1))], position: [(1, 7)], isInserted: false).isEmpty)
  }

  @Test func `claims overlap where both were held at one moment`() throws {
    let early = try claims(trip: [(1, fixtureID(1)), (5, fixtureID(2))], position: [(1, 0)])
    let late = try claims(trip: [(4, fixtureID(1))], position: [(4, 0)])
    let later = try claims(trip: [(5, fixtureID(1))], position: [(5, 0)])
    #expect(early[0].overlaps(late[0]) && late[0].overlaps(early[0]))
    // The first ends in the moment in which the third begins.
    #expect(!early[0].overlaps(later[0]) && !later[0].overlaps(early[0]))
    #expect(late[0].overlaps(later[0]))
  }
}
