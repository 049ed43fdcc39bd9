import Foundation
import LocalizedTexts

/// The reminders that were told on this device: a file beside the store, so that none is told twice. It stays here.
///
/// Text in UTF-8: the line `MySubGuard reminders 1`, then a line a reminder: the subscription's id, a space, the day of
/// the charge. Invariants:
///
/// 1. A reminder is noted after it was told. A crash between the two tells it again; none is ever left out.
/// 2. The file is replaced as a whole, so that it is never half a file.
/// 3. One process at a time reads and writes it, by a lock on the file of the same name with `.lock` at the end.
/// 4. Charges of more than 400 days ago are forgotten.
public struct ReminderLog {
  static let title = "MySubGuard reminders 1"
  private let file: PrivateFile

  init(beside store: URL) {
    file = PrivateFile(
      url: store.deletingPathExtension().appendingPathExtension("reminders"), largestBytes: 16 << 20)
  }

  /// The outcome of telling reminders.
  public struct Summary: Sendable {
    /// Those that were told now.
    public var told: [Reminder] = []
    /// Those that were told before.
    public var known: [Reminder] = []
    /// Those that were not told, with the reason; they are tried again next time.
    public var failed: [(reminder: Reminder, reason: SubscriptionError)] = []
  }

  /// Tells each reminder that was not told before, and notes it. One for which `tell` throws waits for the next time.
  ///
  /// Waits for another process that tells reminders of the same device.
  /// - Throws: `unreadableFile` where the file is none of ours or cannot be written; all but the last told is noted.
  public func tell(
    _ reminders: [Reminder], on today: CalendarDay, by tell: (Reminder) throws -> Void
  ) throws -> Summary {
    let lock = try FileLock(file.url.appendingPathExtension("lock"))
    defer { lock.release() }
    var lines = try read().filter { Self.day($0).map { today.days(since: $0) <= 400 } ?? false }
    var known = Set(lines)
    var summary = Summary()
    for reminder in reminders {
      guard known.insert(reminder.key).inserted else {
        summary.known.append(reminder)
        continue
      }
      do {
        try tell(reminder)
      } catch let error as SubscriptionError {
        summary.failed.append((reminder, error))
        continue
      }
      lines.append(reminder.key)
      try file.write(Data(([Self.title] + lines).joined(separator: "\n").utf8 + [UInt8(ascii: "\n")]))
      summary.told.append(reminder)
    }
    return summary
  }

  private func read() throws -> [String] {
    guard let data = try file.read() else { return [] }
    let lines = String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
    guard lines.first == Self.title else {
      throw SubscriptionError(.unreadableFile, Sentence(.noteUnreadable, .text(file.url.path)))
    }
    return Array(lines.dropFirst())
  }

  private static func day(_ line: String) -> CalendarDay? {
    let digits = line.suffix(10).split(separator: "-").compactMap { Int($0) }
    return digits.count == 3 ? CalendarDay(year: digits[0], month: digits[1], day: digits[2]) : nil
  }
}

extension SubscriptionBook {
  /// The reminders that were told on this device.
  public var reminders: ReminderLog { ReminderLog(beside: storeURL) }
}
