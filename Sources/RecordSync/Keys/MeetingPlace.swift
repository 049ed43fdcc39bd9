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

  /// The option of `tandem sync` that uses it, for the line of a shell: quoted where the place has other characters
  /// than letters, digits and those of paths. The author of an invitation chose the place, and unquoted it
  /// could be a command of its own.
  public var option: String {
    switch self {
    case .folder(let path): "--folder \(MeetingPlace.word(path))"
    case .remote(let name): "--remote \(MeetingPlace.word(name))"
    }
  }

  /// A text as one word of a shell.
  package static func word(_ text: String) -> String {
    let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-".utf8)
    if !text.isEmpty, text.utf8.allSatisfy(plain.contains) { return text }
    // By scalars: a quote and the accent behind it are one character.
    return text.unicodeScalars.reduce(into: "'") { word, scalar in
      if scalar == "'" { word += "'\\'" }
      word.unicodeScalars.append(scalar)
    } + "'"
  }
}
