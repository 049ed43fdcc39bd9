public import Foundation

/// One change of a price: from a day on, another amount.
public struct PriceStep: Hashable, Sendable, Identifiable {
  /// The same on every device.
  public let id: UUID
  /// The first day that costs the new price.
  public let since: CalendarDay
  /// The price from then on.
  public let price: Money
  /// The price that the person knew before.
  public let before: Money
  /// When the person noted it: of two changes on one day, the later word counts.
  public let notedAt: Date

  /// Creates a step from its parts.
  public init(id: UUID = UUID(), since: CalendarDay, price: Money, before: Money, notedAt: Date) {
    (self.id, self.since, self.price, self.before, self.notedAt) = (id, since, price, before, notedAt)
  }

  /// By day; of one day, the one that was noted later counts.
  static func comesBefore(_ left: PriceStep, _ right: PriceStep) -> Bool {
    (left.since, left.notedAt, left.id.uuidString) < (right.since, right.notedAt, right.id.uuidString)
  }
}
