import Foundation

/// Who may use what a synchronisation makes in a folder, beside a group that may write to that folder.
enum FileSharing: Hashable, Sendable {
  case owner
  /// Every user may read.
  case everybody

  var fileMode: mode_t { self == .owner ? 0o600 : 0o644 }
  var folderMode: mode_t { self == .owner ? 0o700 : 0o755 }
}
