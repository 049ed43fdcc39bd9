/// The hybrid logical clock of one replica, as a pure value: it reads no time and stores nothing itself.
///
/// It gives each transaction a stamp above everything seen, close to the wall time where that can be
/// believed. It never refuses: a save succeeds and an import proceeds whatever any clock in the family
/// says. The laws, for every sequence of wall times, stuck and backward ones included:
/// a new stamp is greater than every stamp made or observed before, and ``observe(_:wallMilliseconds:)``
/// accepts every stamp. What comes from elsewhere is asked first; see ``Stamp/isWithinReach(of:)``.
///
/// A wall time is *credible* when it is not before this library was written and not more than
/// ``driftMilliseconds`` before the last credible one of this replica. Against a peer that ran far
/// ahead, a credible clock opens a new *epoch* with its own time: one bad clock costs one epoch, not
/// years of stamps in the future. Only stamps at the very end of the range (epoch 65,535 and every
/// other bit set) could not be surpassed; no sequence of honest transactions gets there.
package struct HybridClock: Hashable, Sendable {
  /// How far a wall time may differ before it is doubted: 24 hours.
  package static let standardDriftMilliseconds: UInt64 = 24 * 3600 * 1000
  /// 2026-01-01: no sound clock shows less.
  package static let earliestCredibleMilliseconds: UInt64 = 1_767_225_600_000

  /// The greatest stamp observed or made.
  package var seen: Stamp
  /// The last credible wall time of this replica; 0 before the first.
  package var lastOwnWall: UInt64
  /// Peers opened a new epoch against this replica's time; until the clock agrees with theirs again,
  /// it only counts.
  package var isDistrusted: Bool
  package var driftMilliseconds: UInt64

  package init(
    seen: Stamp = .zero, lastOwnWall: UInt64 = 0, isDistrusted: Bool = false,
    driftMilliseconds: UInt64 = HybridClock.standardDriftMilliseconds
  ) {
    self.seen = seen
    self.lastOwnWall = lastOwnWall
    self.isDistrusted = isDistrusted
    self.driftMilliseconds = driftMilliseconds
  }

  /// The stamp of a new transaction of `replica`.
  package mutating func tick(wallMilliseconds: UInt64, replica: ReplicaID) -> Stamp {
    let wall = min(wallMilliseconds, Stamp.maximumWallMilliseconds)
    let isCredible = isCredible(wall)
    if isCredible { lastOwnWall = wall }
    seen = next(wall: wall, isCredible: isCredible && !isDistrusted, replica: replica)
    return seen
  }

  /// Takes note of another replica's stamp.
  package mutating func observe(_ stamp: Stamp, wallMilliseconds: UInt64) {
    let wall = min(wallMilliseconds, Stamp.maximumWallMilliseconds)
    let agrees = HybridClock.distance(stamp.wallMilliseconds, wall) <= driftMilliseconds
    if stamp.epoch > seen.epoch {
      // The epoch was opened with a time that its author believed; a clock far above it is the outlier.
      isDistrusted = wall > stamp.wallMilliseconds + driftMilliseconds
      if agrees { lastOwnWall = wall }
    } else if stamp.epoch == seen.epoch, agrees {
      isDistrusted = false
    }
    seen = max(seen, stamp)
  }

  private func isCredible(_ wall: UInt64) -> Bool {
    wall >= HybridClock.earliestCredibleMilliseconds && wall + driftMilliseconds >= lastOwnWall
  }

  private func next(wall: UInt64, isCredible: Bool, replica: ReplicaID) -> Stamp {
    guard isCredible else { return counted(replica) }
    if seen.wallMilliseconds > wall + driftMilliseconds, seen.epoch < UInt16.max {
      return Stamp(epoch: seen.epoch + 1, wallMilliseconds: wall, counter: 0, replica: replica)
    }
    if wall > seen.wallMilliseconds {
      return Stamp(epoch: seen.epoch, wallMilliseconds: wall, counter: 0, replica: replica)
    }
    return counted(replica)
  }

  /// The next stamp by counting alone; a full counter carries into the time, a full time into the epoch.
  private func counted(_ replica: ReplicaID) -> Stamp {
    if seen.counter < UInt16.max { return Stamp(time: seen.time, counter: seen.counter + 1, replica: replica) }
    if seen.time < UInt64.max { return Stamp(time: seen.time + 1, counter: 0, replica: replica) }
    return Stamp(time: seen.time, counter: seen.counter, replica: max(replica, seen.replica))
  }

  private static func distance(_ left: UInt64, _ right: UInt64) -> UInt64 {
    left > right ? left - right : right - left
  }
}
