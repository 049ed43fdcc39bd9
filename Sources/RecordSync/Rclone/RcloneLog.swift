import Synchronization

/// The log of a run of rclone so far. Safe to use from any thread.
final class RcloneLog: Sendable {
  private static let maximumComplaints = 200

  private struct State {
    var complaints: [String] = []
    var sign = ""
    var isStalled = false
  }

  private let progress: (@Sendable (Int, Int) -> Void)?
  private let state = Mutex(State())

  init(_ progress: (@Sendable (Int, Int) -> Void)?) { self.progress = progress }

  /// Messages of errors, the newest of them.
  var complaints: [String] { state.withLock { $0.complaints } }
  /// Another text whenever the run came further.
  var sign: String { state.withLock { "\($0.sign) \($0.complaints.count)" } }
  var isStalled: Bool { state.withLock { $0.isStalled } }

  func noteStall() { state.withLock { $0.isStalled = true } }

  func note(_ text: String) {
    let line = RcloneLogLine(text)
    if let moved = line.moved { progress?(moved.bytes, moved.total) }
    state.withLock { state in
      if let sign = line.progress { state.sign = sign }
      guard let complaint = line.complaint else { return }
      if state.complaints.count >= RcloneLog.maximumComplaints { state.complaints.removeFirst() }
      state.complaints.append(complaint)
    }
  }
}
