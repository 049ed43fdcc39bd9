import Foundation
import Synchronization

/// Parts that another thread makes while the caller uses the one before.
///
/// The thread is one of its own. A shared one may not be free, while those that have them wait for the caller.
enum ReadAhead {
  /// Calls `use` with each part that `make` gives, in their order. At most three parts exist: one that is used, one
  /// that waits, one that is made.
  ///
  /// - Parameters:
  ///   - make: Runs on the other thread. What it throws is thrown here, behind the parts that it gave before.
  ///   - use: Runs on this thread. If it throws, `make` ends at the next part that it gives.
  static func forEach<Part: Sendable>(
    _ make: @escaping @Sendable (_ give: (Part) throws -> Void) throws -> Void, use: (Part) throws -> Void
  ) throws {
    let line = Line<Part>()
    Thread.detachNewThread { line.fill(make) }
    // Nothing runs on behind a throw.
    defer { line.close() }
    while let part = try line.next() { try use(part) }
  }

  private final class Line<Part: Sendable>: Sendable {
    private struct State {
      var part: Part?
      var failure: (any Error)?
      var isClosed = false
    }

    private struct Closed: Error {}

    private let state = Mutex(State())
    // From zero: the system takes one that ends below where it began for one that is in use.
    private let room = DispatchSemaphore(value: 0)
    private let news = DispatchSemaphore(value: 0)
    private let end = DispatchSemaphore(value: 0)

    init() { room.signal() }

    func fill(_ make: (_ give: (Part) throws -> Void) throws -> Void) {
      do {
        try make { part in
          room.wait()
          try state.withLock { state throws in
            if state.isClosed { throw Closed() }
            state.part = part
          }
          news.signal()
        }
        room.wait()
      } catch {
        // Parts that were given come first.
        if !(error is Closed) { room.wait() }
        state.withLock { $0.failure = error }
      }
      news.signal()
      end.signal()
    }

    /// Nil behind the last one.
    func next() throws -> Part? {
      news.wait()
      let part = try state.withLock { state throws in
        if let failure = state.failure { throw failure }
        return state.part.take()
      }
      room.signal()
      return part
    }

    func close() {
      state.withLock { $0.isClosed = true }
      room.signal()
      end.wait()
    }
  }
}
