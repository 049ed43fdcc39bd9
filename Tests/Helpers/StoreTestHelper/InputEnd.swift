import Foundation
import Synchronization

/// Tells, without waiting, whether standard input has ended.
final class InputEnd: Sendable {
  private let reached = Atomic(false)

  var isReached: Bool { reached.load(ordering: .acquiring) }

  init() {
    let thread = Thread { [self] in
      while hear() != nil {}
      reached.store(true, ordering: .releasing)
    }
    thread.start()
  }
}
