import Foundation

/// Why a run of rclone failed, with the remedy where its words tell one.
struct RcloneFailure {
  private let outcome: RcloneOutcome
  private let remote: RcloneRemote

  /// Nil where it did not.
  init?(_ outcome: RcloneOutcome, _ remote: RcloneRemote) {
    guard outcome.status != .success else { return nil }
    (self.outcome, self.remote) = (outcome, remote)
  }

  /// One sentence. `action`: what was to be done.
  func error(_ action: String) -> SyncError {
    let said = quotation.isEmpty ? "" : ", which says: \(quotation)"
    return SyncError(.transportFailed, "cannot \(action) with rclone\(said); \(remedy)")
  }

  /// The last complaint, for the summary of several comes last and names the error below it.
  private var quotation: String {
    let last = outcome.complaints.last { !$0.hasPrefix("Usage:") && !$0.hasPrefix("Use \"rclone") } ?? ""
    let line = remote.redacted(last).split(whereSeparator: \.isNewline).joined(separator: " ")
    return line.count > 300 ? line.prefix(300) + "…" : line
  }

  // Words alone: a port or a size may have the digits of any status.
  private static let remedies: [(words: [String], remedy: String)] = [
    (["unknown flag", "unknown command", "unknown shorthand"], "update rclone to 1.55 or later"),
    (
      ["didn't find section in config file"],
      "set the remote up with 'rclone config', or check its name with 'rclone listremotes'"
    ),
    (
      ["not allowed to ask for password", "unable to decrypt configuration", "Couldn't decrypt configuration"],
      "give the password of rclone's configuration in RCLONE_CONFIG_PASS, or a program that prints it in "
        + "RCLONE_PASSWORD_COMMAND"
    ),
    (
      [
        "no space left", "Insufficient Storage", "uotaExceeded", "insufficient_space", "quota exceeded",
      ], "free some space there, or here where rclone names a path of this machine"
    ),
    (
      [
        "Unauthorized", "unable to authenticate", "invalid_grant", "token expired", "InvalidAccessKeyId",
        "SignatureDoesNotMatch",
      ], "sign in again with 'rclone config reconnect', or check user and password with 'rclone config'"
    ),
    (
      ["Forbidden", "ermission denied", "AccessDenied", "read-only", "Method Not Allowed"],
      "check the rights of this user at that place"
    ),
    (
      [
        "connection refused", "no such host", "i/o timeout", "no route to host", "network is unreachable",
        "context deadline exceeded", "connection reset", "TLS handshake", "certificate", "couldn't connect SSH",
      ], "check the network and the address, and run it again"
    ),
  ]

  private var remedy: String {
    switch outcome.status {
    case .stalled:
      return "it did not come further and was ended: check whether it waits for something, and run it again"
    case .signal(let number): return "it was ended by signal \(number): run it again"
    default: break
    }
    let words = outcome.complaints.joined(separator: "\n")
    if let known = RcloneFailure.remedies.first(where: { $0.words.contains { words.contains($0) } }) {
      return known.remedy
    }
    if outcome.status == .directoryNotFound { return "check the path of the remote" }
    return "try 'rclone lsd' with the same remote, and run it again"
  }
}
