import Foundation
import Synchronization

/// Tells a helper, without waiting, whether its standard input has ended: then the test wants no more of it.
public final class InputEnd: Sendable {
  private let reached = Atomic(false)

  public var isReached: Bool { reached.load(ordering: .acquiring) }

  public init() {
    let thread = Thread { [self] in
      while readLine() != nil {}
      reached.store(true, ordering: .releasing)
    }
    thread.start()
  }
}
