import TestSupport
import Testing

@testable import RecordStore

/// The clock's rules in single steps: what a stamp is after what was seen, and whom a clock believes.
struct ClockRuleTests {
  private static let day = HybridClock.standardDriftMilliseconds
  /// 2027-01-15.
  private static let now: UInt64 = 1_800_000_000_000
  private static let (own, peer) = (ReplicaID(7), ReplicaID(9))

  private static func stamp(
    _ wall: UInt64, _ counter: UInt16 = 0, epoch: UInt16 = 0, _ replica: ReplicaID = peer
  ) -> Stamp {
    Stamp(epoch: epoch, wallMilliseconds: wall, counter: counter, replica: replica)
  }

  struct Tick: Sendable, CustomTestStringConvertible {
    let title: String
    let clock: HybridClock
    let wall: UInt64
    let stamp: Stamp
    /// The last credible time after it.
    let believed: UInt64
    var testDescription: String { title }

    init(
      _ title: String, seen: Stamp, last before: UInt64 = now, distrusted: Bool = false, wall: UInt64,
      gives stamp: Stamp, believed: UInt64
    ) {
      self.title = title
      clock = HybridClock(seen: seen, lastOwnWall: before, isDistrusted: distrusted)
      (self.wall, self.stamp, self.believed) = (wall, stamp, believed)
    }
  }

  static let ticks: [Tick] = [
    Tick("the first stamp has the time", seen: .zero, last: 0, wall: now, gives: stamp(now, own), believed: now),
    Tick(
      "a later time begins to count anew", seen: stamp(now, 5), wall: now + 1, gives: stamp(now + 1, own),
      believed: now + 1),
    Tick("the same time counts", seen: stamp(now, 5), wall: now, gives: stamp(now, 6, own), believed: now),
    Tick(
      "an earlier time counts on from what was seen", seen: stamp(now, 5), wall: now - 1, gives: stamp(now, 6, own),
      believed: now - 1),
    Tick("so does one a day back", seen: stamp(now), wall: now - day, gives: stamp(now, 1, own), believed: now - day),
    Tick(
      "one more than a day back is not believed", seen: stamp(now), wall: now - day - 1, gives: stamp(now, 1, own),
      believed: now),
    Tick(
      "what was seen a day ahead is counted on from", seen: stamp(now + day), wall: now,
      gives: stamp(now + day, 1, own), believed: now),
    Tick(
      "what was seen further ahead costs an epoch", seen: stamp(now + day + 1), wall: now,
      gives: stamp(now, epoch: 1, own), believed: now),
    Tick(
      "in any epoch", seen: stamp(now + 2 * day, 9, epoch: 41), wall: now, gives: stamp(now, epoch: 42, own),
      believed: now),
    Tick(
      "but the last, which has none above it", seen: stamp(now + 2 * day, 9, epoch: .max), wall: now,
      gives: stamp(now + 2 * day, 10, epoch: .max, own), believed: now),
    Tick(
      "a clock that is distrusted only counts", seen: stamp(now), distrusted: true, wall: now + 5,
      gives: stamp(now, 1, own),
      believed: now + 5),
    Tick(
      "and opens no epoch", seen: stamp(now + 2 * day), distrusted: true, wall: now,
      gives: stamp(now + 2 * day, 1, own), believed: now),
    Tick(
      "a time from before the library is not believed", seen: .zero, last: 0, wall: 1_000, gives: stamp(0, 1, own),
      believed: 0),
    Tick(
      "the first moment of the library is", seen: .zero, last: 0, wall: HybridClock.earliestCredibleMilliseconds,
      gives: stamp(HybridClock.earliestCredibleMilliseconds, own), believed: HybridClock.earliestCredibleMilliseconds),
    Tick(
      "the moment before is not", seen: .zero, last: 0, wall: HybridClock.earliestCredibleMilliseconds - 1,
      gives: stamp(0, 1, own), believed: 0),
    Tick(
      "a full counter carries into the time", seen: stamp(now, .max), wall: now, gives: stamp(now + 1, own),
      believed: now),
    Tick(
      "a full time carries into the epoch", seen: stamp(Stamp.maximumWallMilliseconds, .max, epoch: 3),
      distrusted: true,
      wall: now, gives: stamp(0, epoch: 4, own), believed: now),
    Tick(
      "a time beyond what stamps hold is the latest that they hold", seen: stamp(now), wall: .max,
      gives: stamp(Stamp.maximumWallMilliseconds, own), believed: Stamp.maximumWallMilliseconds),
  ]

  private static func stamp(_ wall: UInt64, _ replica: ReplicaID) -> Stamp { stamp(wall, 0, replica) }

  @Test(arguments: ticks) func `a stamp is the time where that can be believed, and else a count`(tick: Tick) {
    var clock = tick.clock
    #expect(clock.tick(wallMilliseconds: tick.wall, replica: Self.own) == tick.stamp)
    #expect(clock.seen == tick.stamp && tick.stamp > tick.clock.seen)
    #expect(clock.lastOwnWall == tick.believed)
    #expect(clock.isDistrusted == tick.clock.isDistrusted, "only others change that")
  }

  struct Observation: Sendable, CustomTestStringConvertible {
    let title: String
    let clock: HybridClock
    let stamp: Stamp
    let wall: UInt64
    let isDistrusted: Bool
    let believed: UInt64
    var testDescription: String { title }

    init(
      _ title: String, seen: Stamp = ClockRuleTests.stamp(now), distrusted: Bool = false, _ stamp: Stamp,
      wall: UInt64 = now,
      distrusts isDistrusted: Bool, believed: UInt64 = now - 1
    ) {
      self.title = title
      clock = HybridClock(seen: seen, lastOwnWall: now - 1, isDistrusted: distrusted)
      (self.stamp, self.wall, self.isDistrusted, self.believed) = (stamp, wall, isDistrusted, believed)
    }
  }

  static let observations: [Observation] = [
    Observation("a stamp of the same epoch", stamp(now + 5), distrusts: false),
    Observation("an older one changes nothing", stamp(now - 5), distrusts: false),
    Observation("one from far ahead is taken note of", stamp(now + 999 * day), distrusts: false),
    Observation(
      "a new epoch near the own time is agreed to", stamp(now + 5, epoch: 1), distrusts: false, believed: now),
    Observation("as far as a day behind it", stamp(now - day, epoch: 1), distrusts: false, believed: now),
    Observation(
      "further behind, the own clock is the one that is ahead", stamp(now - day - 1, epoch: 1), distrusts: true),
    Observation("as far as a day before it", stamp(now + day, epoch: 1), distrusts: false, believed: now),
    Observation(
      "further before, the own clock is behind, which harms nobody", stamp(now + day + 1, epoch: 1), distrusts: false),
    Observation(
      "a distrusted clock that agrees with its epoch is trusted again", seen: stamp(now, epoch: 1), distrusted: true,
      stamp(now + 3, epoch: 1), distrusts: false),
    Observation(
      "one that does not stays so", seen: stamp(now, epoch: 1), distrusted: true, stamp(now + 3 + day, epoch: 1),
      distrusts: true),
    Observation(
      "a stamp of an earlier epoch says nothing of it", seen: stamp(now, epoch: 2), distrusted: true,
      stamp(now, epoch: 1),
      distrusts: true),
    Observation(
      "a later epoch decides anew", seen: stamp(now, epoch: 1), distrusted: true, stamp(now, epoch: 2),
      distrusts: false, believed: now),
  ]

  @Test(arguments: observations) func `a clock believes the epoch that others have opened`(observation: Observation) {
    var clock = observation.clock
    clock.observe(observation.stamp, wallMilliseconds: observation.wall)
    #expect(clock.seen == max(observation.clock.seen, observation.stamp))
    #expect(clock.isDistrusted == observation.isDistrusted)
    #expect(clock.lastOwnWall == observation.believed)
    // Whatever was observed, the next stamp is above it.
    #expect(clock.tick(wallMilliseconds: observation.wall, replica: Self.own) > observation.stamp)
  }

  @Test func `observing twice is observing once`() {
    for observation in Self.observations {
      var once = observation.clock
      once.observe(observation.stamp, wallMilliseconds: observation.wall)
      var twice = once
      twice.observe(observation.stamp, wallMilliseconds: observation.wall)
      #expect(twice.seen == once.seen && twice.lastOwnWall == once.lastOwnWall, "\(observation.title)")
    }
  }

  // MARK: In a store

  /// Saves of a store whose wall clock goes any way: the stamps rise, and are those of the rules above.
  static let walls: [(title: String, walls: [Int64], epochs: [UInt16], walled: [Int64])] = [
    ("forward", [0, 1, 2], [0, 0, 0], [0, 1, 2]),
    ("standing still", [0, 0, 0], [0, 0, 0], [0, 0, 0]),
    ("an hour back", [0, -3_600_000, 0], [0, 0, 0], [0, 0, 0]),
    ("two days back, which is not believed", [0, -172_800_000, 5], [0, 0, 0], [0, 0, 5]),
    (
      "ten years ahead, and back: what was seen is counted on from", [0, 315_360_000_000, 1], [0, 0, 0],
      [0, 315_360_000_000, 315_360_000_000]
    ),
  ]

  @Test(arguments: walls) func `saves have rising stamps, whatever the wall clock does`(
    title: String, walls: [Int64], epochs: [UInt16], walled: [Int64]
  ) throws {
    let clock = ManualClock()
    let start = clock.milliseconds
    try withTemporaryStore(clock: clock.wallClock) { store throws in
      let names = try FixtureNames(store)
      var stamps: [Stamp] = []
      for (number, wall) in walls.enumerated() {
        clock.milliseconds = UInt64(Int64(start) + wall)
        stamps.append(try store.save(names.insert("Note", fixtureID(UInt64(number)))).stamp)
      }
      #expect(stamps == stamps.sorted() && Set(stamps).count == stamps.count)
      #expect(stamps.map(\.epoch) == epochs)
      #expect(stamps.map { Int64($0.wallMilliseconds) - Int64(start) } == walled)
      #expect(try store.read { try $0.clockStamp } == stamps.last)
    }
  }
}
