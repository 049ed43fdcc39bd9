import Dispatch
import Foundation

/// Ends a program that this process has started, with all that it started in turn, when a signal ends this process.
///
/// A terminal sends Ctrl-C to the group in front alone, and a program that Foundation starts has a group of its own.
struct GroupInterruption {
  private static let signals = [SIGINT, SIGTERM, SIGHUP]

  private let sources: [any DispatchSourceSignal]

  /// Watches until ``end()``. A signal that this process ignores stays ignored.
  init(of process: Process) {
    let group = process.processIdentifier
    sources = Self.signals.compactMap { number in
      guard signal(number, SIG_IGN) == nil else { return nil }
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        kill(-group, SIGKILL)
        // Ends this process as if nothing had been in between, so that its caller sees the signal.
        signal(number, SIG_DFL)
        kill(getpid(), number)
      }
      source.resume()
      return source
    }
  }

  func end() {
    for source in sources {
      source.cancel()
      signal(Int32(source.handle), SIG_DFL)
    }
  }
}
