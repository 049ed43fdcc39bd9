import Foundation
import Synchronization

/// The first error of several threads.
final class FailureBox: Sendable {
  private let first = Mutex<(any Error)?>(nil)

  func note(_ error: any Error) {
    first.withLock { if $0 == nil { $0 = error } }
  }

  func rethrow() throws {
    if let error = first.withLock({ $0 }) { throw error }
  }
}
