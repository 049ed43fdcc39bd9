public import RecordStore
import Synchronization

/// A wall clock that stands still until a test moves it, in any direction.
public final class ManualClock: Sendable {
  private let value: Atomic<UInt64>

  /// Starts on 2027-01-15.
  public init(milliseconds: UInt64 = 1_800_000_000_000) { value = Atomic(milliseconds) }

  public var milliseconds: UInt64 {
    get { value.load(ordering: .relaxed) }
    set { value.store(newValue, ordering: .relaxed) }
  }

  /// Moves forward.
  public func advance(byMilliseconds step: UInt64 = 1) { value.add(step, ordering: .relaxed) }

  public var wallClock: WallClock {
    WallClock(name: "manual") { self.milliseconds }
  }
}
