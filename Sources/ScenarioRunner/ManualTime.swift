import RecordStore
import Synchronization

/// The wall clock of one replica: what the scenario's steps say, plus the offset of a clock that is wrong.
final class ManualTime: Sendable {
  /// 2030-01-01, far enough from the time at which clocks begin to be credible. Step time 0 is here.
  static let origin: UInt64 = 1_893_456_000_000

  private struct Reading {
    var at: UInt64 = 0
    var offset: Int64 = 0
    var isStuck = false
  }
  private let reading = Mutex(Reading())

  /// A clock that is stuck does not hear of it.
  func set(at time: UInt64) { reading.withLock { if !$0.isStuck { $0.at = time } } }
  func set(_ clock: Scenario.Clock) {
    reading.withLock { reading in
      reading.offset = clock.offsetMilliseconds ?? reading.offset
      reading.isStuck = clock.isStuck ?? reading.isStuck
    }
  }

  func clock(named name: String) -> WallClock {
    WallClock(name: name) { [self] in
      let reading = self.reading.withLock { $0 }
      return UInt64(max(0, Int64(ManualTime.origin + reading.at) + reading.offset))
    }
  }
}
