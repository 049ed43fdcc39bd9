/// The changes of one subscription's price, in the order of their days.
///
/// Each change is a row of its own, so that two devices that change a price apart keep both: March's and April's. The
/// price that a subscription stores is a single value, and a merge takes the one that was written last, which may be
/// March's. So the rows decide, by the first of these rules that fits:
///
/// 1. A stored price that no row knows, neither as a new price nor as one before, was corrected, or written by a build
///    without history: it stands.
/// 2. Otherwise the latest row whose day has come gives the price.
/// 3. Before the first row's day, the price is what that row knew before.
public struct PriceHistory: Hashable, Sendable {
  /// Earliest first.
  public let steps: [PriceStep]

  /// Puts steps in their order.
  public init(_ steps: [PriceStep] = []) { self.steps = steps.sorted(by: PriceStep.comesBefore) }

  /// The price on a day, where the subscription itself stores `stored`.
  public func price(on day: CalendarDay, stored: Money) -> Money {
    guard let first = steps.first, steps.contains(where: { $0.price == stored || $0.before == stored }) else {
      return stored
    }
    return steps.last { $0.since <= day }?.price ?? first.before
  }
}
