public import Foundation
import LocalizedTexts

extension SubscriptionList {
  /// Reads what ``json(_:)`` writes: an array of objects with the member names of the CSV columns.
  ///
  /// Amounts are strings or numbers and stay exact. Throws `malformedList` naming the item and the member.
  public init(json bytes: Data, importedAt: Date) throws {
    let items: [Item]
    do {
      items = try JSONDecoder().decode([Item].self, from: bytes)
    } catch let error as DecodingError {
      throw SubscriptionError(.malformedList, Sentence(.jsonDoesNotParse, .sentence(Self.place(of: error))))
    }
    var seen: [UUID: Int] = [:]
    let subscriptions = try items.enumerated().map { index, item in
      do {
        let details = try item.details(importedAt: importedAt)
        if let earlier = seen.updateValue(index + 1, forKey: details.id) {
          throw SubscriptionError(.invalidValue, Sentence(.idInItemAlready, "\(earlier)"))
        }
        return details
      } catch let error as SubscriptionError {
        throw SubscriptionError(
          .malformedList, Sentence(.labelled, .sentence(Sentence(.item, "\(index + 1)")), .sentence(error.sentence)))
      }
    }
    let earlier = zip(subscriptions, items).filter { $1.currency == nil }.map { $0.0.id }
    self.init(subscriptions, earlierForms: Set(earlier))
  }

  /// One object a subscription, in the order of the list, members sorted: equal lists give equal bytes.
  public static func json(_ subscriptions: [SubscriptionDetails]) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(subscriptions.map(Item.init))
  }

  /// One object with the members `prices` and `payments` beside those of a list.
  package static func json(_ details: SubscriptionDetails, payments: [PaidCharge]) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    var item = Item(details)
    item.prices = details.prices.steps.map { Item.Entry(day: $0.since, price: $0.price) }
    item.payments = payments.map { Item.Entry(day: $0.day, price: $0.price) }
    return try encoder.encode([item])
  }

  private static func place(of error: DecodingError) -> Sentence {
    let (context, trouble): (DecodingError.Context, Sentence?) =
      switch error {
      case .keyNotFound(let key, let context): (context, Sentence(.memberMissing, .text(key.stringValue)))
      case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context): (context, nil)
      @unknown default: (DecodingError.Context(codingPath: [], debugDescription: "\(error)"), nil)
      }
    let path = context.codingPath.map { key in
      key.intValue.map { Sentence(.item, "\($0 + 1)") } ?? Sentence(.verbatim, .text(key.stringValue))
    }
    let syntax = context.underlyingError.map { "\($0)" } ?? context.debugDescription
    let end = trouble ?? Sentence(.verbatim, .text(syntax))
    return path.reversed().reduce(end) { Sentence(.listed, .sentence($1), .sentence($0)) }
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
    var currency: String?
    var trialUntil: String?
    var pausedFrom: String?
    var pausedUntil: String?
    var endsOn: String?
    /// Written for one subscription, and not read.
    var prices: [Entry]?
    var payments: [Entry]?

    /// A price from a day on, or what was paid for a day's charge.
    struct Entry: Codable {
      var date: String
      var amount: String
      var currency: String

      init(day: CalendarDay, price: Money) {
        (date, amount, currency) = (day.description, Amount.text(price), price.currency.rawValue)
      }
    }

    enum CodingKeys: String, CodingKey {
      case id, name, amount, frequency, category, currency, prices, payments
      case nextBillingDate = "next_billing_date"
      case createdAt = "created_at"
      case billingDay = "billing_day"
      case annualAmount = "annual_amount"
      case trialUntil = "trial_until"
      case pausedFrom = "paused_from"
      case pausedUntil = "paused_until"
      case endsOn = "ends_on"
    }

    init(_ details: SubscriptionDetails) {
      id = details.id.uuidString
      name = details.name
      amount = ExactAmount(text: Amount.text(details.storedPrice))
      frequency = details.schedule.frequency.rawValue
      nextBillingDate = details.schedule.nextDay.description
      category = details.category.rawValue
      createdAt = SubscriptionList.text(of: details.createdAt)
      billingDay = details.schedule.billingDay
      annualAmount = ExactAmount(text: Amount.text(Money(details.annualAmount, details.currency)))
      currency = details.currency.rawValue
      trialUntil = details.standing.trialEnd?.description
      pausedFrom = details.standing.pause?.start.description
      pausedUntil = details.standing.pause?.end?.description
      endsOn = details.standing.endDay?.description
    }

    func details(importedAt: Date) throws -> SubscriptionDetails {
      let currency = try self.currency.map(Currency.init(code:)) ?? .euro
      let schedule = BillingSchedule(
        frequency: try BillingFrequency(named: frequency), nextDay: try CalendarDay(iso: nextBillingDate),
        billingDay: try billingDay.map { try SubscriptionList.billingDay(String($0)) })
      return try SubscriptionDetails(
        id: id.map(SubscriptionList.identifier) ?? UUID(), name: name, amount: Amount.parse(amount.text, in: currency),
        schedule: schedule, category: SubscriptionCategory(named: category),
        createdAt: createdAt.map(SubscriptionList.timestamp) ?? importedAt, currency: currency, standing: standing())
    }

    private func standing() throws -> Standing {
      let until = try pausedUntil.map(CalendarDay.init(iso:))
      let pause = try pausedFrom.map { try Standing.Pause(from: CalendarDay(iso: $0), until: until) }
      return Standing(
        trialEnd: try trialUntil.map(CalendarDay.init(iso:)), pause: pause,
        endDay: try endsOn.map(CalendarDay.init(iso:)))
    }
  }

  /// A JSON string or number. Numbers are taken as decimals, never through binary floating point.
  private struct ExactAmount: Codable {
    var text: String

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
