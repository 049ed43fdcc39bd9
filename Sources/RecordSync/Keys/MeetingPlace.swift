import Foundation

/// The place where a family's files lie, as an invitation proposes it.
public enum MeetingPlace: Hashable, Sendable, CustomStringConvertible {
  /// A folder that a tool moves, by its path on the founder's device.
  case folder(String)
  /// A remote of rclone, `NAME:path`.
  case remote(String)

  /// The path or the remote.
  public var description: String {
    switch self {
    case .folder(let path): path
    case .remote(let name): name
    }
  }

  /// The option of `tandem sync` that uses it.
  public var option: String {
    switch self {
    case .folder(let path): "--folder \(path)"
    case .remote(let name): "--remote \(name)"
    }
  }
}
