public import Foundation
import LocalizedTexts
import Tandem

/// Each change is one durable save. Before it, its opposite is noted for ``SubscriptionBook/undo()``.
extension SubscriptionBook {
  /// Adds a subscription. Throws when the id is taken; then nothing was added.
  public func add(_ details: SubscriptionDetails) throws {
    guard try model(details.id) == nil else {
      throw SubscriptionError(.ambiguous, Sentence(.idTaken, .text(details.id.uuidString)))
    }
    try change(.added) { change in
      context.insert(Subscription(details))
      change.added.append(details.id)
    }
  }

  /// Writes the values that differ. Returns whether there were any.
  ///
  /// Another amount corrects the price that is in force; a price that rose is noted by ``note(_:of:)``.
  @discardableResult
  public func replace(with details: SubscriptionDetails) throws -> Bool {
    let model = try existing(details.id)
    var isChanged = false
    try change(.edited, known: [model]) { _ in
      isChanged = try correctPrice(of: model, to: details.storedPrice)
      isChanged = model.apply(details) || isChanged
    }
    return isChanged
  }

  /// Deletes a subscription with its price history and its payments.
  /// - Throws: ``SubscriptionError`` `notFound`.
  public func delete(_ id: UUID) throws {
    let model = try existing(id)
    try change(.deleted, known: [model]) { _ in context.delete(model) }
  }

  /// Notes that a price changes from a day on. A day to come leaves today's price as it is.
  /// - Throws: ``SubscriptionError`` `notFound`, or `invalidValue` for an amount that the currency does not allow.
  public func note(_ step: PriceStep, of id: UUID) throws {
    let model = try existing(id)
    _ = try Amount.checked(step.price.amount, in: step.price.currency)
    try change(.priced, known: [model]) { _ in
      let row = PriceChange(step)
      context.insert(row)
      row.subscription = model
      let price = try details(of: model).storedPrice
      if model.amount != price.amount { model.amount = price.amount }
      if model.currency != price.currency { model.currency = price.currency }
    }
  }

  /// Marks a charge as paid. Returns false when it was marked already; then nothing was done.
  @discardableResult
  public func pay(_ charge: PaidCharge, of id: UUID) throws -> Bool {
    let model = try existing(id)
    guard !model.payments.contains(where: { $0.day == charge.day.date }) else { return false }
    try change(.paid, known: [model]) { _ in
      let row = Payment(charge, of: id)
      context.insert(row)
      row.subscription = model
    }
    return true
  }

  /// A price that was noted wrongly is mended where it stands: in the step that is in force, or as the price before the
  /// first. Returns whether a step was written.
  func correctPrice(of model: Subscription, to price: Money) throws -> Bool {
    guard !model.priceChanges.isEmpty, try details(of: model).storedPrice != price else { return false }
    let rows = model.priceChanges.sorted { PriceStep.comesBefore($0.step, $1.step) }
    if let row = rows.last(where: { CalendarDay($0.since) <= today }) {
      (row.amount, row.currency) = (price.amount, price.currency)
    } else if let row = rows.first {
      (row.amountBefore, row.currencyBefore) = (price.amount, price.currency)
    }
    return true
  }

  /// Carries out changes and saves them; if saving throws, they are undone here as they are in the store, and the
  /// former change can be taken back still.
  /// - Parameter note: The parts that the same change has saved before; it gets those of this save.
  func change(
    noting note: inout LastChange, known: [Subscription] = [], _ changes: (inout LastChange) throws -> Void
  ) throws {
    let before = known.map(SubscriptionSnapshot.init)
    do {
      try changes(&note)
      note.edits += zip(known, before).compactMap { model, before in
        let after = model.isDeleted ? nil : SubscriptionSnapshot(model)
        return before == after ? nil : LastChange.Edit(before: before, after: after)
      }
      try save(noting: note)
    } catch {
      context.rollback()
      throw error
    }
  }

  func change(
    _ kind: LastChange.Kind, known: [Subscription] = [], _ changes: (inout LastChange) throws -> Void
  ) throws {
    var note = LastChange(kind)
    try change(noting: &note, known: known, changes)
  }

  private func save(noting note: LastChange) throws {
    guard !note.isEmpty else { return try context.save() }
    let earlier = try lastChange.replace(with: note)
    do {
      try context.save()
    } catch {
      try lastChange.restore(earlier)
      throw error
    }
  }
}
