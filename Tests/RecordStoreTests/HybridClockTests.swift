import RecordStore
import TestSupport
import Testing

struct HybridClockTests {
  private static let day = HybridClock.standardDriftMilliseconds
  private static let now: UInt64 = 1_800_000_000_000
  private static let replica = ReplicaID(7)

  @Test(arguments: 0..<20)
  func `every new stamp is above all made and seen, for any clocks`(run: Int) {
    var generator = SeededGenerator.announced("HybridClockTests \(run)")
    var clocks = [HybridClock(), HybridClock(), HybridClock()]
    var walls = (0..<3).map { _ in Self.now }
    for _ in 0..<400 {
      let index = Int.random(in: 0..<3, using: &generator)
      walls[index] = Self.nextWall(walls[index], &generator)
      let before = clocks[index].seen
      let stamp = clocks[index].tick(wallMilliseconds: walls[index], replica: ReplicaID(UInt64(index + 1)))
      #expect(stamp > before)
      #expect(stamp.replica == ReplicaID(UInt64(index + 1)))
      let other = Int.random(in: 0..<3, using: &generator)
      clocks[other].observe(stamp, wallMilliseconds: walls[other])
      #expect(clocks[other].seen >= stamp)
    }
  }

  /// Forward, stuck, back a little, ten years either way, nonsense.
  private static func nextWall(_ wall: UInt64, _ generator: inout SeededGenerator) -> UInt64 {
    switch Int.random(in: 0..<8, using: &generator) {
    case 0: 0
    case 1: UInt64.max
    case 2: Self.now + 3650 * day
    case 3: Self.now - 3650 * day
    case 4: wall
    case 5: wall &- min(wall, 1000)
    default: wall > Stamp.maximumWallMilliseconds ? Self.now : wall + UInt64.random(in: 0...10_000, using: &generator)
    }
  }

  @Test func `a stuck clock counts, and a full counter carries into the time`() {
    var clock = HybridClock()
    var last = clock.tick(wallMilliseconds: Self.now, replica: Self.replica)
    var rises = true
    for _ in 0..<70_000 {
      let next = clock.tick(wallMilliseconds: Self.now, replica: Self.replica)
      rises = rises && next > last
      last = next
    }
    #expect(rises)
    #expect(last.wallMilliseconds == Self.now + 1)
  }

  @Test func `a peer from the future costs one epoch, not years`() {
    var clock = HybridClock()
    _ = clock.tick(wallMilliseconds: Self.now, replica: Self.replica)
    let future = Stamp(
      epoch: 0, wallMilliseconds: Self.now + 3650 * Self.day, counter: 0, replica: ReplicaID(9))
    clock.observe(future, wallMilliseconds: Self.now)
    let stamp = clock.tick(wallMilliseconds: Self.now + 1, replica: Self.replica)
    #expect(stamp.epoch == 1)
    #expect(stamp.wallMilliseconds == Self.now + 1)
  }

  @Test func `a clock within the drift bound of a peer opens no epoch`() {
    var clock = HybridClock()
    clock.observe(
      Stamp(epoch: 0, wallMilliseconds: Self.now + Self.day, counter: 3, replica: ReplicaID(9)),
      wallMilliseconds: Self.now)
    let stamp = clock.tick(wallMilliseconds: Self.now, replica: Self.replica)
    #expect(stamp.epoch == 0)
    #expect(stamp.counter == 4)
  }

  @Test func `the outlier is told by a higher epoch, counts only, and is trusted again when it agrees`() {
    var clock = HybridClock()
    let ahead = Self.now + 3650 * Self.day
    _ = clock.tick(wallMilliseconds: ahead, replica: Self.replica)
    let healed = Stamp(epoch: 1, wallMilliseconds: Self.now, counter: 0, replica: ReplicaID(9))
    clock.observe(healed, wallMilliseconds: ahead)
    #expect(clock.isDistrusted)
    let counted = clock.tick(wallMilliseconds: ahead, replica: Self.replica)
    #expect(counted.epoch == 1)
    #expect(counted.wallMilliseconds == Self.now)
    clock.observe(
      Stamp(epoch: 1, wallMilliseconds: Self.now + 5, counter: 0, replica: ReplicaID(9)),
      wallMilliseconds: Self.now + 5)
    #expect(!clock.isDistrusted)
  }

  @Test func `a wall time before this library was written is not believed`() {
    var clock = HybridClock()
    let stamp = clock.tick(wallMilliseconds: 1000, replica: Self.replica)
    #expect(stamp > .zero)
    #expect(stamp.wallMilliseconds == 0)
  }
}
