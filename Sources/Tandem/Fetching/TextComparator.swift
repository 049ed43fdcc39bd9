public import Foundation

/// Compares texts as people expect them to stand: `names.sorted(using: .localizedStandard)`.
///
/// ```swift
/// var order = TextComparator.localizedStandard
/// let names = trips.map(\.name).sorted(using: order)  // "Day 8", "Day 9", "Day 10"
/// order.order = .reverse
/// let last = trips.map(\.name).sorted(using: order).first
/// ```
///
/// Numbers inside a text count by their value, case and accents second. The order is the same on every device and in
/// every locale, and that of `SortDescriptor(\.name)`. Each comparison works out the places of both texts anew, so let
/// a fetch sort what the store holds.
public struct TextComparator: Hashable, Sendable {
  /// The one order of this library, forward.
  public static let localizedStandard = TextComparator()
  /// As ``localizedStandard``.
  public static let localized = TextComparator()

  /// The direction; `.reverse` turns the order around.
  public var order = SortOrder.forward

  private init() {}
}

extension TextComparator: SortComparator {
  /// The order of two texts, by ``order``.
  public func compare(_ left: String, _ right: String) -> ComparisonResult {
    let (left, right) = (TextForPeople(left), TextForPeople(right))
    if left == right { return .orderedSame }
    return (left < right) == (order == .forward) ? .orderedAscending : .orderedDescending
  }
}

// Foundation has these on Apple's systems. Those of `String.StandardComparator` are of our type, too:
// Foundation's own knows the order of code points alone on Linux.
#if !canImport(Darwin)
  extension SortComparator where Self == TextComparator {
    /// Texts as people expect them to stand.
    public static var localizedStandard: TextComparator { .localizedStandard }
    /// As ``localizedStandard``.
    public static var localized: TextComparator { .localized }
  }

  extension String.StandardComparator {
    /// Texts as people expect them to stand.
    public static var localizedStandard: TextComparator { .localizedStandard }
    /// As ``localizedStandard``.
    public static var localized: TextComparator { .localized }
  }
#endif
