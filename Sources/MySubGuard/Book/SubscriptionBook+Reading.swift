public import Foundation
import LocalizedTexts
import Tandem

extension SubscriptionBook {
  /// The order of a list. Names stand in the order of the alphabet, É with E, whatever the case.
  public enum Order: String, CaseIterable, Sendable {
    /// By the next billing date as it is stored, then by name, then by id.
    case next
    /// By name, then by id.
    case name
    /// The largest amount first, then by name.
    case amount
    /// The largest sum of a year first, then by name.
    case year

    fileprivate var descriptors: [SortDescriptor<Subscription>] {
      let names = [SortDescriptor(\Subscription.name, comparator: .localizedStandard), SortDescriptor(\.id)]
      return switch self {
      case .next: [SortDescriptor(\.nextBillingDate)] + names
      case .name, .year, .amount: names
      }
    }
  }

  /// All subscriptions, or those of one category, or those whose names contain `text`, whatever the case and accents.
  public func subscriptions(
    in category: SubscriptionCategory? = nil, matching text: String? = nil, sortedBy order: Order = .next
  ) throws -> [SubscriptionDetails] {
    var descriptor = FetchDescriptor<Subscription>(sortBy: order.descriptors)
    if let text { descriptor.predicate = #Predicate { $0.name.localizedStandardContains(text) } }
    // Not in the predicate: what build 0.1.0 stored of a category is another text.
    let models = try context.fetch(descriptor).filter { category == nil || $0.category == category }
    let found = try details(of: models)
    // Worked out, so that no index has it; the order by name stays among equal sums.
    return switch order {
    case .year: Self.sorted(found, by: \.annualAmount)
    case .amount: Self.sorted(found, by: \.amount)
    case .next, .name: found
    }
  }

  /// The largest first, by currency. Each key is worked out once.
  private static func sorted(
    _ all: [SubscriptionDetails], by key: (SubscriptionDetails) -> Decimal
  ) -> [SubscriptionDetails] {
    Dictionary(grouping: all, by: \.currency).sorted { $0.key < $1.key }.flatMap { _, group in
      // Sums have fewer digits than a double holds, and decimals take ten times as long to compare.
      // Places are sorted rather than the values, which are large.
      group.enumerated().map { ($0.offset, NSDecimalNumber(decimal: key($0.element)).doubleValue) }
        .sorted { $0.1 > $1.1 }.map { group[$0.0] }
    }
  }

  /// Plain values with their histories, and the prices of today. Two fetches for all of them.
  func details(of models: [Subscription]) throws -> [SubscriptionDetails] {
    let steps = try context.fetch(FetchDescriptor<PriceChange>())
    let start = today.date
    let paid = try context.fetch(FetchDescriptor<Payment>(predicate: #Predicate { $0.day >= start }))
    let stepsByID = Dictionary(grouping: steps) { $0.subscription?.persistentModelID }
    let paidByID = Dictionary(grouping: paid) { $0.subscription?.persistentModelID }
    return try models.map { model in
      var details = try model.details
      if !steps.isEmpty, let rows = stepsByID[model.persistentModelID] { details.take(rows.map(\.step), on: today) }
      if !paid.isEmpty, let rows = paidByID[model.persistentModelID] {
        details.paidDays = Set(rows.map { CalendarDay($0.day) })
      }
      return details
    }
  }

  /// The same for one, by its own rows.
  func details(of model: Subscription) throws -> SubscriptionDetails {
    var details = try model.details
    details.take(model.priceChanges.map(\.step), on: today)
    details.paidDays = Set(model.payments.map { CalendarDay($0.day) })
    return details
  }

  /// The one subscription that `text` names: a whole id, a name as it is written, a name in any case, or the
  /// first four or more characters of an id.
  ///
  /// Throws `notFound`, or `ambiguous` with the candidates.
  public func subscription(named text: String) throws -> SubscriptionDetails {
    if let id = UUID(uuidString: text) {
      guard let model = try model(id) else { throw Self.notFound(text) }
      return try details(of: model)
    }
    return try details(of: match(text))
  }

  /// As it is written, by the index; then in any case; then by the beginning of an id.
  private func match(_ text: String) throws -> Subscription {
    let exact = try context.fetch(FetchDescriptor<Subscription>(predicate: #Predicate { $0.name == text }))
    if let match = exact.first, exact.count == 1 { return match }
    var matches = exact
    if matches.isEmpty {
      let all = try context.fetch(FetchDescriptor<Subscription>(sortBy: Order.next.descriptors))
      let name = text.lowercased()
      matches = all.filter { $0.name.lowercased() == name }
      if matches.isEmpty && text.count >= 4 {
        matches = all.filter { $0.id.uuidString.hasPrefix(text.uppercased()) }
      }
    }
    guard let match = matches.first else { throw Self.notFound(text) }
    guard matches.count == 1 else {
      let list = matches.map { "\($0.id.uuidString) \($0.name)" }.joined(separator: "; ")
      throw SubscriptionError(.ambiguous, Sentence(.ambiguousName, .text(text), "\(matches.count)", .text(list)))
    }
    return match
  }

  func model(_ id: UUID) throws -> Subscription? {
    var descriptor = FetchDescriptor<Subscription>(predicate: #Predicate { $0.id == id })
    descriptor.fetchLimit = 1
    return try context.fetch(descriptor).first
  }

  /// The subscription of an id.
  func existing(_ id: UUID) throws -> Subscription {
    guard let model = try model(id) else { throw Self.notFound(id.uuidString) }
    return model
  }

  private static func notFound(_ text: String) -> SubscriptionError {
    SubscriptionError(.notFound, Sentence(.noSuchSubscription, .text(text)))
  }

  /// All payments of a subscription, the latest charge first.
  public func payments(of id: UUID) throws -> [PaidCharge] {
    try existing(id).payments.map(\.charge).sorted { $0.day > $1.day }
  }
}
