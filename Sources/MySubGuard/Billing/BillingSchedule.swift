/// The days on which a subscription is charged: a first day, a distance, and the day of the month that was agreed.
///
/// The billing day outlives short months: 31 January → 28 February → 31 March, and 29 February 2024 → 28 February 2025
/// → … → 29 February 2028.
public struct BillingSchedule: Hashable, Sendable {
  /// The time between two charges.
  public let frequency: BillingFrequency
  /// The next day on which money goes out, as it was last noted. May have passed.
  public let nextDay: CalendarDay
  /// 1–31: the day of the month that months with enough days are billed on. A schedule of weeks has no use for it.
  public let billingDay: Int

  /// - Parameters:
  ///   - frequency: The time between two charges.
  ///   - nextDay: The next day on which money goes out.
  ///   - billingDay: Nil, or a day that contradicts `nextDay`, means the day of `nextDay`. (Two devices may each have
  ///     set one of the two; the date a person reads is the one that counts.)
  public init(frequency: BillingFrequency, nextDay: CalendarDay, billingDay: Int? = nil) {
    self.frequency = frequency
    self.nextDay = nextDay
    let lastDay = CalendarDay.daysIn(month: nextDay.month, of: nextDay.year)
    let isAgreed = billingDay.map { !frequency.step.isDays && $0 <= 31 && min($0, lastDay) == nextDay.day } ?? false
    self.billingDay = isAgreed ? billingDay ?? nextDay.day : nextDay.day
  }

  /// The charge number `index`, counted from ``nextDay``, which is number 0.
  public func day(_ index: Int) -> CalendarDay {
    switch frequency.step {
    case .days(let days): nextDay.adding(days: days * index)
    case .months(let months): nextDay.adding(months: months * index, on: billingDay)
    }
  }

  /// The first charge on `day` or later.
  public func firstDay(onOrAfter day: CalendarDay) -> CalendarDay { self.day(index(onOrAfter: day)) }

  /// The schedule after every billing day before `day` has passed; unchanged when none has.
  public func advanced(to day: CalendarDay) -> BillingSchedule {
    BillingSchedule(frequency: frequency, nextDay: firstDay(onOrAfter: day), billingDay: billingDay)
  }

  /// All charges from `start` to `end`, both included, in order. Cost: one step a charge.
  public func days(from start: CalendarDay, through end: CalendarDay) -> [CalendarDay] {
    var result: [CalendarDay] = []
    var index = index(onOrAfter: start)
    while true {
      let day = day(index)
      // The calendar ends at its last year; a schedule that got there has no further day.
      if day > end || day == result.last { return result }
      result.append(day)
      index += 1
    }
  }

  /// Jumps near the day and steps the rest, so that a date decades back costs no more than yesterday's.
  private func index(onOrAfter day: CalendarDay) -> Int {
    guard day > nextDay else { return 0 }
    var index =
      switch frequency.step {
      case .days(let days): day.days(since: nextDay) / days
      case .months(let months): ((day.year - nextDay.year) * 12 + day.month - nextDay.month) / months
      }
    while self.day(index) < day, self.day(index) < CalendarDay.last { index += 1 }
    return index
  }
}
