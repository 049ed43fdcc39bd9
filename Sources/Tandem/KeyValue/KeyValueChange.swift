/// Keys of a suite that one commit changed.
public struct KeyValueChange: Hashable, Sendable {
  /// Where a change was made.
  public enum Origin: String, Hashable, Sendable, CaseIterable {
    /// By any handle of this process.
    case thisProcess
    /// By another process of this device.
    case anotherProcess
    /// On another device; a synchronisation, of this or another process, brought it.
    case anotherDevice
  }

  /// The keys that the commit set, changed or removed.
  public let keys: Set<String>
  /// Where the change was made.
  public let origin: Origin

  /// Whether anything but this process made the change.
  public var isExternal: Bool { origin != .thisProcess }
}
