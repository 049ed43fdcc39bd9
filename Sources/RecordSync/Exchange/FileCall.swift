import Foundation

/// One use of the file system by a synchronisation. Every one passes here first, so that a test can count them, or have
/// one fail as a full disk or a folder of somebody else would.
enum FileCall: Hashable, Sendable {
  case look, list, read, create, write, makeFolder, rename, flush, remove, watch

  /// Called before each call of the task, with its path. A number is that of the system error with which it fails.
  @TaskLocal static var watcher: (@Sendable (FileCall, String) -> Int32?)?

  /// Whether the call is to fail; the system's error number then says why. Without a watcher: one look at a task-local
  /// value.
  func fails(at path: @autoclosure () -> String) -> Bool {
    guard let watcher = FileCall.watcher, let number = watcher(self, path()) else { return false }
    errno = number
    return true
  }
}
