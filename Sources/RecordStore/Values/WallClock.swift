import Foundation

/// Where the wall time comes from.
public struct WallClock: Sendable, Hashable {
  private let name: String
  private let milliseconds: @Sendable () -> UInt64

  /// A clock with a name, by which two are equal.
  public init(name: String, milliseconds: @escaping @Sendable () -> UInt64) {
    self.name = name
    self.milliseconds = milliseconds
  }

  /// Milliseconds since 1970; not more than a stamp can hold, so that sums of times have room.
  public func now() -> UInt64 { min(milliseconds(), Stamp.maximumWallMilliseconds) }

  /// The system's clock.
  public static let system = WallClock(name: "system") {
    UInt64(max(0, Date().timeIntervalSince1970 * 1000))
  }
  /// Whether both have one name.
  public static func == (left: WallClock, right: WallClock) -> Bool { left.name == right.name }
  /// Hashes the name.
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
