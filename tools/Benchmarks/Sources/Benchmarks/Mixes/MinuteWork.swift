import Foundation

/// What an app does in one minute, the same on both sides: which records it looks at, what its person enters, and what
/// came from another device meanwhile. Nothing of it conflicts.
struct MinuteWork {
  /// Looked up one by one.
  let looked: [SubscriptionRow]
  /// A hundred records from each of these on.
  let days: [Date]
  /// Entered and saved one by one. Each comes first in the list of what is due.
  let entered: [SubscriptionRow]
  /// Edited and saved one by one.
  let edited: [SubscriptionRow]
  /// Of the other device. The last of them comes first in the list of what is due.
  let foreignNew: [SubscriptionRow]
  let foreignEdited: [SubscriptionRow]

  static let dueCategory = Category.personal
  static let dueCount = 20

  init(round: Int, of data: Dataset) {
    var generator = SplitMix(seed: 77 + UInt64(round))
    let rows = data.subscriptions
    // Three kinds of records, so that nobody edits what the other does.
    let places = (0..<50).map { _ in Int(generator.next() % UInt64(rows.count / 3)) * 3 }
    looked = places[..<15].map { rows[$0] }
    edited = places[15..<17].map { rows[$0 + 1] }
    foreignEdited = Array(Set(places[17..<42])).sorted().map { rows[$0 + 2] }
    days = (0..<5).map { Date(timeIntervalSinceReferenceDate: Double(($0 + round) * 17 % 2_000) * 86_400) }
    let start = rows.count + round * 100
    entered = (0..<3).map { Self.row(start + $0, &generator) }
    // As many changes as fifty in all, also where a record was drawn twice.
    foreignNew = (0..<(50 - foreignEdited.count)).map { Self.row(start + 10 + $0, &generator) }
  }

  /// Due before all that has a smaller number.
  private static func row(_ number: Int, _ generator: inout SplitMix) -> SubscriptionRow {
    var row = SubscriptionRow(number: number, using: &generator)
    row.category = dueCategory
    row.nextBillingDate = Date(timeIntervalSinceReferenceDate: -Double(number) * 60)
    return row
  }

  var fetchCount: Int { looked.count + days.count }
}
