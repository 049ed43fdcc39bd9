import Dispatch
import Foundation

/// Turns SIGINT and SIGTERM into the cancellation of running work, so that a store is closed and a file is finished.
enum Termination {
  /// Runs `work` until it ends, throws, or one of the signals arrives; a signal is a clean end.
  static func endsCleanly(_ work: @escaping @Sendable () async throws -> Void) async throws {
    let task = Task { try await work() }
    let sources = [SIGINT, SIGTERM].map { number in
      // The default action would end the process before the source hears of the signal.
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { task.cancel() }
      source.resume()
      return source
    }
    defer { for source in sources { source.cancel() } }
    do {
      try await task.value
    } catch is CancellationError {
      return
    }
  }
}
