public import Foundation

extension SubscriptionList {
  /// Reads what ``json()`` writes: an array of objects with the member names of the CSV columns.
  ///
  /// Amounts are strings or numbers and stay exact. Throws `malformedList` naming the item and the member.
  public init(json bytes: Data, importedAt: Date) throws {
    let items: [Item]
    do {
      items = try JSONDecoder().decode([Item].self, from: bytes)
    } catch let error as DecodingError {
      throw SubscriptionError(.malformedList, "the JSON does not parse: \(Self.place(of: error))")
    }
    var seen: [UUID: Int] = [:]
    let subscriptions = try items.enumerated().map { index, item in
      do {
        let details = try item.details(importedAt: importedAt)
        if let earlier = seen.updateValue(index + 1, forKey: details.id) {
          throw SubscriptionError(.invalidValue, "id: item \(earlier) has it already")
        }
        return details
      } catch let error as SubscriptionError {
        throw SubscriptionError(.malformedList, "item \(index + 1): \(error.message)")
      }
    }
    self.init(subscriptions)
  }

  /// One object a subscription, in the order of the list, members sorted: equal lists give equal bytes.
  public static func json(_ subscriptions: [SubscriptionDetails]) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(subscriptions.map(Item.init))
  }

  private static func place(of error: DecodingError) -> String {
    let (context, trouble): (DecodingError.Context, String?) =
      switch error {
      case .keyNotFound(let key, let context): (context, "\(key.stringValue) is missing")
      case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context): (context, nil)
      @unknown default: (DecodingError.Context(codingPath: [], debugDescription: "\(error)"), nil)
      }
    let path = context.codingPath.map { key in key.intValue.map { "item \($0 + 1)" } ?? key.stringValue }
    let syntax = context.underlyingError.map { "\($0)" }
    return (path + [trouble ?? syntax ?? context.debugDescription]).joined(separator: ", ")
  }

  /// One object of the file.
  private struct Item: Codable {
    var id: String?
    var name: String
    var amount: ExactAmount
    var frequency: String
    var nextBillingDate: String
    var category: String
    var createdAt: String?
    var billingDay: Int?
    /// Follows from the others: written for readers, and not read.
    var annualAmount: ExactAmount?

    enum CodingKeys: String, CodingKey {
      case id, name, amount, frequency, category
      case nextBillingDate = "next_billing_date"
      case createdAt = "created_at"
      case billingDay = "billing_day"
      case annualAmount = "annual_amount"
    }

    init(_ details: SubscriptionDetails) {
      id = details.id.uuidString
      name = details.name
      amount = ExactAmount(text: Amount.text(details.amount))
      frequency = details.schedule.frequency.rawValue
      nextBillingDate = details.schedule.nextDay.description
      category = details.category.rawValue
      createdAt = SubscriptionList.text(of: details.createdAt)
      billingDay = details.schedule.billingDay
      annualAmount = ExactAmount(text: Amount.text(details.annualAmount))
    }

    func details(importedAt: Date) throws -> SubscriptionDetails {
      let schedule = BillingSchedule(
        frequency: try BillingFrequency(named: frequency), nextDay: try CalendarDay(iso: nextBillingDate),
        billingDay: try billingDay.map { try SubscriptionList.billingDay(String($0)) })
      return try SubscriptionDetails(
        id: id.map(SubscriptionList.identifier) ?? UUID(), name: name, amount: amount.value, schedule: schedule,
        category: SubscriptionCategory(named: category),
        createdAt: createdAt.map(SubscriptionList.timestamp) ?? importedAt)
    }
  }

  /// A JSON string or number. Numbers are taken as decimals, never through binary floating point.
  private struct ExactAmount: Codable {
    var text: String
    var value: Decimal { get throws { try Amount.parse(text) } }

    init(text: String) { self.text = text }

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      do {
        text = try container.decode(String.self)
      } catch DecodingError.typeMismatch {
        text = try container.decode(Decimal.self).description
      }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(text)
    }
  }
}
