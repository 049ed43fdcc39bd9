import Foundation
import Synchronization

/// A process that dies at a chosen step of its work, played within one process: for the simulator.
///
/// A plan counts the points that a task passes and throws ``Stop`` at one of them; code that writes to the exchange
/// folder leaves the disk then as the dead process would have left it. Without a plan a point costs one look at a
/// task-local value.
package enum Interruption {
  /// The end of the simulated process. Nobody handles it but the simulator.
  package struct Stop: Error, Sendable {
    package var point: String
  }

  /// Stops at the point with this number, counted from 0.
  package final class Plan: Sendable {
    private let number: Int
    private let passed = Mutex(0)
    private let kills: Bool

    /// `kills`: the process itself ends, by SIGKILL: for real processes.
    package init(at number: Int, kills: Bool = false) {
      self.number = number
      self.kills = kills
    }

    fileprivate func stops() -> Bool {
      passed.withLock { passed in
        passed += 1
        guard passed - 1 == number else { return false }
        if kills { kill(getpid(), SIGKILL) }
        return true
      }
    }
  }

  @TaskLocal package static var plan: Plan?

  /// Names a step after which a process may be gone.
  package static func point(_ name: String) throws {
    guard let plan, plan.stops() else { return }
    throw Stop(point: name)
  }
}
