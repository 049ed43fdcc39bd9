import Foundation

/// The users of what a synchronisation makes in a folder, beside a group that may write to that folder.
enum FileSharing: Hashable, Sendable {
  case owner
  /// Its owner alone, also where a group may write to the folder: a file with a secret.
  case secret
  /// Every user may read.
  case everybody

  var fileMode: mode_t { self == .everybody ? 0o644 : 0o600 }
  var folderMode: mode_t { self == .everybody ? 0o755 : 0o700 }
}
