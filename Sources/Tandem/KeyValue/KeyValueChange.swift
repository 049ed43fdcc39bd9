/// Keys of a suite that one commit changed.
///
/// ```swift
/// func tell(_ change: KeyValueChange) {
///   let keys = change.keys.sorted().joined(separator: ", ")
///   if change.origin == .anotherDevice { show("\(keys): changed on another device") }
///   if !change.isExternal { show("\(keys): changed here") }
/// }
/// ```
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
