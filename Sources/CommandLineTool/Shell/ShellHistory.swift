import Foundation
import RecordStore
import StoreInspection

/// The file of lines that were entered, for the person alone: values of records stand in them.
enum ShellHistory {
  /// `$XDG_STATE_HOME/tandem/history`, by default below `~/.local/state`; made with the rights 0600. Nil where there is
  /// no place for it, which is said.
  static func path() -> String? {
    let environment = ProcessInfo.processInfo.environment
    let given = environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    guard let state = given ?? environment["HOME"].map({ $0 + "/.local/state" }) else { return nil }
    let folder = state + "/tandem"
    let path = folder + "/history"
    do {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      Console.standard.tell("no history is kept, as \(folder) cannot be made: \(error.systemReason)")
      return nil
    }
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else {
      Console.standard.tell(
        "no history is kept, as \(path) cannot be written: \(String(cString: strerror(errno)))")
      return nil
    }
    defer { close(descriptor) }
    fchmod(descriptor, 0o600)
    return path
  }
}
