import Foundation
import Synchronization

/// A place at which the process kills itself when the environment says so: how tests find out what a crash leaves
/// behind. For testing only, as is this whole module.
///
/// ```swift
/// let environment = [CrashPoint.environmentVariable: CrashPoint.paidNotReturned.rawValue]  // of a child process
/// ```
///
/// `TANDEM_APPSTORE_CRASH=C1` ends the process by SIGKILL when it reaches ``paidNotReturned``; `C1:3` when it reaches
/// it the third time. Nothing is flushed, no `defer` runs. Unset, reaching a point costs a comparison.
public enum CrashPoint: String, CaseIterable, Sendable {
  /// C0: `purchase()` was called, the ledger knows nothing of it.
  case beforePayment = "C0"
  /// C1: the purchase is durable in the ledger, `purchase()` has not returned.
  case paidNotReturned = "C1"
  /// C5: `finish()` was called, the ledger knows nothing of it.
  case beforeFinish = "C5"
  /// C6: the finish is durable in the ledger, `finish()` has not returned.
  case finishedNotReturned = "C6"
  /// R1: a refund is about to be handed to the app.
  case refundNotDelivered = "R1"

  /// The name of the variable.
  public static let environmentVariable = "TANDEM_APPSTORE_CRASH"

  private static let armed: (point: CrashPoint, count: Int)? = {
    guard let text = ProcessInfo.processInfo.environment[environmentVariable] else { return nil }
    let parts = text.split(separator: ":")
    guard let point = parts.first.flatMap({ CrashPoint(rawValue: String($0)) }) else { return nil }
    return (point, parts.count > 1 ? Int(parts[1]) ?? 1 : 1)
  }()
  private static let reachedCount = Atomic<Int>(0)

  /// Ends the process here if the environment says so.
  func reach() {
    guard let armed = Self.armed, armed.point == self else { return }
    let count = Self.reachedCount.add(1, ordering: .relaxed).newValue
    if count == armed.count { kill(getpid(), SIGKILL) }
  }
}
