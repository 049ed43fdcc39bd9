import Foundation

/// The end of a run of rclone: its exit code, what it printed, and what it complained of.
struct RcloneOutcome: Sendable {
  enum Status: Hashable, Sendable {
    case success
    case directoryNotFound
    case other(Int32)
    case signal(Int32)
    /// Ended, for it gave no sign of coming further.
    case stalled

    /// The numbers stand in rclone's manual, section "Exit code".
    init(exitCode: Int32) {
      switch exitCode {
      case 0: self = .success
      case 3: self = .directoryNotFound
      default: self = .other(exitCode)
      }
    }
  }

  var status: Status
  var output: Data
  /// Messages of errors, in order.
  var complaints: [String]
}
