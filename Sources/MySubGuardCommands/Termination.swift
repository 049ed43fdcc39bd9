import Dispatch
import Foundation

/// Turns SIGINT, SIGTERM and SIGHUP into the cancellation of running work, so that a store is closed and a file is
/// finished.
enum Termination {
  /// Runs `work` until it ends, throws, or one of the signals arrives; a signal is a clean end.
  static func endsCleanly(_ work: @escaping @Sendable () async throws -> Void) async throws {
    let (requests, request) = AsyncStream.makeStream(of: Void.self)
    var sources: [any DispatchSourceSignal] = []
    for number in [SIGINT, SIGTERM, SIGHUP] where number != SIGHUP || isDefault(number) {
      sources.append(await source(number) { request.yield() })
    }
    defer { for source in sources { source.cancel() } }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await work() }
      group.addTask { for await _ in requests { return } }
      try await group.next()
      group.cancelAll()
    }
  }

  /// Whether the signal would end the process: under `nohup` a widget outlives its terminal.
  private static func isDefault(_ number: Int32) -> Bool {
    // The system tells the former handler, nil for the default one, only where another one is set.
    signal(number, SIG_IGN) == nil
  }

  /// Returns when the signal is watched: a signal before work begins must not get lost.
  private static func source(_ number: Int32, _ handler: @escaping @Sendable () -> Void) async
    -> any DispatchSourceSignal
  {
    // The default action would end the process before the source hears of the signal.
    signal(number, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
    source.setEventHandler { handler() }
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      source.setRegistrationHandler { continuation.resume() }
      source.resume()
    }
    return source
  }
}
