import Dispatch
import Foundation
import Synchronization

/// Ctrl-C, a polite request to end, and the end of the terminal.
///
/// Most commands are ended on the spot: a store is whole at any moment, so only what lies outside it
/// (a half-written file) is tidied by ``whileRunning(tidy:_:)``. Commands that follow something end
/// their loop with ``following(_:)`` and exit with 0, because there is no other way to end them.
final class Interruption: Sendable {
  static let shared = Interruption()

  private struct State {
    var tidy: (@Sendable () -> Void)?
    /// Whether the process ends now, when ``tidy`` is done.
    var isEnding = false
    var isFollowing = false
    /// Whether another program has the terminal, and ends by itself.
    var isLeftToAnother = false
    var cancel: (@Sendable () -> Void)?
    /// The signal that asked for the end.
    var request: Int32?
    var wake: (@Sendable () -> Void)?
  }
  private let state = Mutex(State())

  /// Takes over SIGINT, SIGTERM and SIGHUP, and lets a closed output and a file that may not grow be ordinary errors.
  func install() {
    for number in [SIGPIPE, SIGXFSZ] { signal(number, SIG_IGN) }
    for number in [SIGINT, SIGTERM, SIGHUP] {
      let earlier = signal(number, SIG_IGN)
      // Under `nohup` a command outlives its terminal.
      if number == SIGHUP, Interruption.isIgnored(earlier) { continue }
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global(qos: .userInteractive))
      // The handler keeps the source, so it lives as long as the process.
      source.setEventHandler { [self] in
        handle(number)
        withExtendedLifetime(source) {}
      }
      source.resume()
    }
  }

  private static func isIgnored(_ handler: (@convention(c) (Int32) -> Void)?) -> Bool {
    unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  private func handle(_ number: Int32) {
    if number == SIGINT {
      if state.withLock({ $0.isLeftToAnother }) { return }
      Interruption.endLine()
    }
    let action: (@Sendable () -> Void)? = state.withLock { state in
      // Only the first one is polite: a person that presses again wants out at once.
      guard state.request == nil, state.isFollowing || state.cancel != nil else { return nil }
      state.request = number
      let (wake, cancel) = (state.wake, state.cancel)
      return {
        wake?()
        cancel?()
      }
    }
    if let action {
      action()
      return
    }
    let tidy = state.withLock { state in
      state.isEnding = true
      return state.tidy
    }
    tidy?()
    _exit(128 + number)
  }

  /// The terminal has shown `^C`, and the prompt of the shell belongs on a line of its own.
  private static func endLine() {
    guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else { return }
    Console.standard.ask("\n")
  }

  var isRequested: Bool { state.withLock { $0.request != nil } }

  /// Runs `body`, and `tidy` if it is interrupted meanwhile. `tidy` comes first: it is called before and while `body`
  /// makes what it takes away. Within another one it is called before that one's.
  func whileRunning<Result>(tidy: @escaping @Sendable () -> Void, _ body: () throws -> Result) rethrows -> Result {
    let outer = state.withLock { state in
      let outer = state.tidy
      state.tidy = {
        tidy()
        outer?()
      }
      return outer
    }
    defer {
      // Work under which its files were tidied away is in no trouble of its own, and a process that works for this one
      // was ended, too: this one ends as interrupted.
      if state.withLock({ $0.isEnding }) { DispatchSemaphore(value: 0).wait() }
      state.withLock { $0.tidy = outer }
    }
    return try body()
  }

  /// Runs work that ends early, and whole, when `cancel` is called; then the command ends as interrupted.
  func cancelling<Result>(_ cancel: @escaping @Sendable () -> Void, _ body: () throws -> Result) throws -> Result {
    state.withLock { $0.cancel = cancel }
    defer { state.withLock { $0.cancel = nil } }
    do {
      return try body()
    } catch is CancellationError {
      throw SilentExit(ExitStatus(endedBy: state.withLock { $0.request } ?? SIGINT))
    }
  }

  /// Runs `body` while another program has the terminal: Ctrl-C is meant for that one.
  ///
  /// A signal is handled on another thread, so one that came shortly before the end of `body` may be handled after it.
  /// Work that goes on afterwards belongs into `body`.
  func leavingSignalsToAnother<Result>(_ body: () throws -> Result) rethrows -> Result {
    let wasLeft = state.withLock { state in
      defer { state.isLeftToAnother = true }
      return state.isLeftToAnother
    }
    defer { state.withLock { $0.isLeftToAnother = wasLeft } }
    return try body()
  }

  /// Runs a loop that ends when ``isRequested``; `wake` is called from another thread to make it look.
  func following<Result>(wake: @escaping @Sendable () -> Void, _ body: () throws -> Result) rethrows -> Result {
    state.withLock { state in
      state.isFollowing = true
      state.wake = wake
    }
    defer {
      state.withLock { state in
        state.isFollowing = false
        state.wake = nil
      }
    }
    return try body()
  }
}
