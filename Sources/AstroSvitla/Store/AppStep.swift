/// A point on the way of a purchase or a report, in the order of <doc:CrashPoints>.
public enum AppStep: String, CaseIterable, Sendable {
  /// The App Store's answer to a purchase is here.
  case purchaseReturned
  /// The signature is right; nothing is stored.
  case verified
  /// Inside the commit of record, credits and note.
  case delivering
  /// The commit is durable; the App Store does not know.
  case delivered
  /// The App Store knows; the note is still there.
  case finished
  /// The note is dropped; nobody was told.
  case settled
  /// A refund is verified; nothing is stored.
  case revocationVerified
  /// A credit is held for a request.
  case reserved
  /// The report's text is being written.
  case writing
  /// Inside the commit of consumption and report.
  case consuming
  /// The commit is durable; the caller does not know.
  case consumed
}

/// Hears of each step, for a log, a program that shows progress, or a test that ends the process there.
public struct StepObserver: Sendable {
  private let note: @Sendable (AppStep) -> Void

  /// Called on the service's own executor, which waits meanwhile.
  public init(_ note: @escaping @Sendable (AppStep) -> Void) { self.note = note }

  /// Hears nothing.
  public static let silent = StepObserver { _ in }

  func reached(_ step: AppStep) { note(step) }
}
