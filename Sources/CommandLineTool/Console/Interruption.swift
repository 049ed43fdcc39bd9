import Dispatch
import Foundation
import Synchronization

/// Ctrl-C and a polite request to end.
///
/// Most commands are ended on the spot: a store is whole at any moment, so only what lies outside it
/// (a half-written file) is tidied by ``whileRunning(tidy:_:)``. Commands that follow something end
/// their loop with ``following(_:)`` and exit with 0, because there is no other way to end them.
final class Interruption: Sendable {
  static let shared = Interruption()

  private struct State {
    var tidy: (@Sendable () -> Void)?
    var isFollowing = false
    var isRequested = false
    var wake: (@Sendable () -> Void)?
  }
  private let state = Mutex(State())

  /// Takes over SIGINT and SIGTERM, and lets a closed output be an ordinary error.
  func install() {
    signal(SIGPIPE, SIG_IGN)
    for number in [SIGINT, SIGTERM] {
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global(qos: .userInteractive))
      // The handler keeps the source, so it lives as long as the process.
      source.setEventHandler { [self] in
        handle(number)
        withExtendedLifetime(source) {}
      }
      source.resume()
    }
  }

  private func handle(_ number: Int32) {
    let action: (@Sendable () -> Void)? = state.withLock { state in
      if state.isFollowing && !state.isRequested {
        state.isRequested = true
        return state.wake ?? {}
      }
      return nil
    }
    if let action {
      action()
      return
    }
    state.withLock { $0.tidy }?()
    _exit(128 + number)
  }

  var isRequested: Bool { state.withLock { $0.isRequested } }

  /// Runs `body`, and `tidy` if it is interrupted meanwhile.
  func whileRunning<Result>(tidy: @escaping @Sendable () -> Void, _ body: () throws -> Result) rethrows -> Result {
    state.withLock { $0.tidy = tidy }
    defer { state.withLock { $0.tidy = nil } }
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
