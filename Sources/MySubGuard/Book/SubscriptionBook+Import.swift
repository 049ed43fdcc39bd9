import Foundation
import Tandem

extension SubscriptionBook {
  /// The outcome of an import, by rows.
  public struct ImportSummary: Hashable, Sendable, Codable {
    /// The number of rows that were new.
    public var added = 0
    /// The number of rows with other values.
    public var updated = 0
    /// The number of rows with the values that were there.
    public var unchanged = 0

    /// A summary of no rows.
    public init() {}
  }

  /// Adds what is new, updates what the list has different values for, by id. Subscriptions that the list does not name
  /// stay.
  ///
  /// - Parameters:
  ///   - list: The rows.
  ///   - rowsPerSave: Nil: one save, all or nothing. Otherwise a save for each so many rows, so that others see a long
  ///     import grow; a crash then leaves whole saves, and importing again completes it.
  public func importList(_ list: SubscriptionList, rowsPerSave: Int? = nil) throws -> ImportSummary {
    var summary = ImportSummary()
    let known = try Dictionary(
      uniqueKeysWithValues: context.fetch(FetchDescriptor<Subscription>()).map { ($0.id, $0) })
    let rows = list.subscriptions
    let step = max(1, rowsPerSave ?? rows.count)
    var note = LastChange(.imported)
    for start in stride(from: 0, to: rows.count, by: step) {
      let part = rows[start..<min(start + step, rows.count)]
      let different = try part.filter { details in
        try known[details.id]?.differs(from: details, keepsTerms: list.isEarlierForm(details.id)) ?? true
      }
      summary.unchanged += part.count - different.count
      try change(noting: &note, known: different.compactMap { known[$0.id] }) { note in
        for details in different {
          try put(details, over: known[details.id], keepsTerms: list.isEarlierForm(details.id), &summary, &note)
        }
      }
    }
    return summary
  }

  private func put(
    _ details: SubscriptionDetails, over model: Subscription?, keepsTerms: Bool, _ summary: inout ImportSummary,
    _ note: inout LastChange
  ) throws {
    guard let model else {
      context.insert(Subscription(details))
      summary.added += 1
      note.added.append(details.id)
      return
    }
    let price = keepsTerms ? Money(details.amount, model.currency) : details.storedPrice
    _ = try correctPrice(of: model, to: price)
    model.apply(details, keepsTerms: keepsTerms)
    summary.updated += 1
  }
}
