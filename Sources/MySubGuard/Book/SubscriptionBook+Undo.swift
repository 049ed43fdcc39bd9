import Foundation
import LocalizedTexts
import Tandem

extension SubscriptionBook {
  /// The effect of taking the last change back.
  public struct UndoSummary: Hashable, Sendable, Codable {
    /// Subscriptions that are gone again.
    public var removed: [String] = []
    /// Subscriptions that are back.
    public var restored: [String] = []
    /// Subscriptions that have their former values.
    public var reverted: [String] = []

    var isEmpty: Bool { removed.isEmpty && restored.isEmpty && reverted.isEmpty }
  }

  /// Takes back the last change that a program made on this device, in one durable save. Undoing is a change, too: the
  /// next undo does it again.
  ///
  /// Values that were changed since, here or on another device, stay as they are. An addition goes with what was done
  /// to it since.
  /// - Throws: ``SubscriptionError`` `nothingToUndo` where there is no change, or nothing is as the change made it.
  public func undo() throws -> UndoSummary {
    guard let last = try lastChange.read() else {
      throw SubscriptionError(.nothingToUndo, Sentence(.nothingToUndo))
    }
    let ids = last.added + last.edits.compactMap { $0.before?.id ?? $0.after?.id }
    let known = try ids.compactMap { try model($0) }
    var summary = UndoSummary()
    try change(.undone, known: known) { change in
      for id in last.added { try remove(id, &summary) }
      for edit in last.edits { try revert(edit, &summary, &change) }
    }
    guard !summary.isEmpty else { throw SubscriptionError(.nothingToUndo, Sentence(.nothingToUndo)) }
    return summary
  }

  private func remove(_ id: UUID, _ summary: inout UndoSummary) throws {
    guard let model = try model(id) else { return }
    summary.removed.append(model.name)
    context.delete(model)
  }

  private func revert(_ edit: LastChange.Edit, _ summary: inout UndoSummary, _ change: inout LastChange) throws {
    guard let before = edit.before else {
      if let after = edit.after { try remove(after.id, &summary) }
      return
    }
    let model = try model(before.id)
    guard let after = edit.after else {
      guard model == nil else { return }
      summary.restored.append(try restore(before).name)
      change.added.append(before.id)
      return
    }
    if let model, try revert(model, from: after, to: before) { summary.reverted.append(model.name) }
  }

  private func restore(_ snapshot: SubscriptionSnapshot) throws -> Subscription {
    let schedule = BillingSchedule(frequency: .monthly, nextDay: today)
    let model = Subscription(
      try SubscriptionDetails(
        id: snapshot.id, name: "…", amount: 0, schedule: schedule, category: .personal, createdAt: .distantPast))
    context.insert(model)
    for field in SubscriptionSnapshot.Field.allCases { try model.set(field, to: snapshot.values[field.rawValue]) }
    for (id, row) in snapshot.prices { try insert(row.step(id: id), of: model) }
    for row in snapshot.payments.values { try insert(row.charge, of: model) }
    return model
  }

  /// Writes what is still as the change left it. Returns whether anything was written.
  private func revert(
    _ model: Subscription, from after: SubscriptionSnapshot, to before: SubscriptionSnapshot
  ) throws -> Bool {
    var isChanged = false
    for field in SubscriptionSnapshot.Field.allCases {
      let (old, new) = (before.values[field.rawValue], after.values[field.rawValue])
      guard old != new, model.text(of: field) == new else { continue }
      try model.set(field, to: old)
      isChanged = true
    }
    for row in model.priceChanges where after.prices[row.id.uuidString] != before.prices[row.id.uuidString] {
      guard SubscriptionSnapshot.Row(row.step) == after.prices[row.id.uuidString] else { continue }
      isChanged = true
      if let old = before.prices[row.id.uuidString] {
        row.takePrices(of: try old.step(id: row.id.uuidString))
      } else {
        context.delete(row)
      }
    }
    for row in model.payments where after.payments[row.key] != nil && before.payments[row.key] == nil {
      context.delete(row)
      isChanged = true
    }
    for (id, row) in before.prices where after.prices[id] == nil {
      try insert(row.step(id: id), of: model)
      isChanged = true
    }
    for (key, row) in before.payments where after.payments[key] == nil {
      try insert(row.charge, of: model)
      isChanged = true
    }
    return isChanged
  }

  private func insert(_ step: PriceStep, of model: Subscription) throws {
    let row = PriceChange(step)
    context.insert(row)
    row.subscription = model
  }

  private func insert(_ charge: PaidCharge, of model: Subscription) throws {
    let row = Payment(charge, of: model.id)
    context.insert(row)
    row.subscription = model
  }
}
