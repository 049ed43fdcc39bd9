import Foundation
import LocalizedTexts
import MySubGuard
import RecordStore

/// The person's own program that tells reminders, such as one that shows a notification or sends a mail.
struct ReminderProgram {
  let command: String
  let limitSeconds: Double

  /// Runs the program for one reminder. Throws `reminderFailed` unless it ends with code 0 in time; the program and all
  /// that it started are ended then.
  func tell(_ reminder: Reminder) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", command + " \"$1\"", "mysubguard", reminder.text]
    process.environment = ProcessInfo.processInfo.environment.merging(reminder.environment) { $1 }
    process.standardInput = FileHandle.nullDevice
    // Standard output is this command's own answer.
    process.standardOutput = FileHandle.standardError
    process.standardError = FileHandle.standardError
    let ended = DispatchSemaphore(value: 0)
    process.terminationHandler = { _ in ended.signal() }
    do {
      try process.run()
    } catch {
      throw failure(.reminderNotStarted, reminder, cause: error.systemReason)
    }
    guard ended.wait(timeout: .now() + limitSeconds) == .success else {
      // The whole group: Foundation gives each program one of its own, so what a script started ends with it.
      kill(-process.processIdentifier, SIGKILL)
      process.waitUntilExit()
      throw failure(.reminderTooSlow, reminder)
    }
    guard process.terminationReason == .exit, process.terminationStatus == 0 else {
      throw failure(.reminderRefused, reminder, cause: "\(process.terminationStatus)")
    }
  }

  private func failure(_ key: MessageKey, _ reminder: Reminder, cause: String? = nil) -> SubscriptionError {
    SubscriptionError(.reminderFailed, Sentence(key, .text(reminder.charge.subscription.name)), cause: cause)
  }
}
