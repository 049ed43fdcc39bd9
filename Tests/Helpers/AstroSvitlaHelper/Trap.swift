import AstroSvitla
import Foundation
import Synchronization

/// Ends the process by SIGKILL at the step that the environment names: nothing is flushed, no `defer` runs.
final class Trap: Sendable {
  static let variable = "ASTROSVITLA_CRASH"

  private let step: AppStep?
  private let remaining: Mutex<Int>

  init(_ text: String? = ProcessInfo.processInfo.environment[Trap.variable]) {
    let parts = (text ?? "").split(separator: ":").map(String.init)
    step = parts.first.flatMap(AppStep.init(rawValue:))
    remaining = Mutex(parts.count > 1 ? Int(parts[1]) ?? 1 : 1)
  }

  var observer: StepObserver {
    StepObserver { [self] reached in
      guard reached == step else { return }
      let left = remaining.withLock { count in
        count -= 1
        return count
      }
      if left == 0 { kill(getpid(), SIGKILL) }
    }
  }
}
