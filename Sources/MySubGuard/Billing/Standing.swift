import LocalizedTexts

/// Whether and when a subscription is charged beside its rhythm: a trial before, pauses between, an end after.
public struct Standing: Hashable, Sendable {
  /// A time without charges, after which the rhythm goes on as if they had come.
  public struct Pause: Hashable, Sendable {
    /// The first day without a charge.
    public let start: CalendarDay
    /// The first day that may be charged again; nil until somebody resumes.
    public let end: CalendarDay?

    /// Creates a pause.
    /// - Throws: ``SubscriptionError`` `invalidValue` where it ends before it begins.
    public init(from start: CalendarDay, until end: CalendarDay? = nil) throws {
      if let end, end <= start {
        throw SubscriptionError(.invalidValue, Sentence(.pauseEndsEarly, "\(end)", "\(start)"))
      }
      (self.start, self.end) = (start, end)
    }

    /// For values that come of a store: an end before the beginning is none.
    init(stored start: CalendarDay, _ end: CalendarDay?) {
      self.start = start
      self.end = end.flatMap { $0 > start ? $0 : nil }
    }

    func contains(_ day: CalendarDay) -> Bool { day >= start && end.map { day < $0 } ?? true }
  }

  /// The first day that costs; nil where nothing was free.
  public var trialEnd: CalendarDay?
  /// The pause that is planned, in force, or over.
  public var pause: Pause?
  /// The first day without the subscription: it is cancelled, and no charge comes on this day or later.
  public var endDay: CalendarDay?

  /// A subscription that is simply charged, unless parts are given.
  public init(trialEnd: CalendarDay? = nil, pause: Pause? = nil, endDay: CalendarDay? = nil) {
    (self.trialEnd, self.pause, self.endDay) = (trialEnd, pause, endDay)
  }

  /// The state of a subscription on a day.
  public enum State: Hashable, Sendable {
    /// It is charged.
    case active
    /// It is charged until its end comes.
    case ending(CalendarDay)
    /// It costs nothing before the day.
    case trial(CalendarDay)
    /// It costs nothing before the day, or until somebody resumes.
    case paused(CalendarDay?)
    /// It ended on the day.
    case ended(CalendarDay)

    /// Whether its costs are among those of today.
    public var isCharged: Bool {
      switch self {
      case .active, .ending: true
      case .trial, .paused, .ended: false
      }
    }
  }

  /// The state of the subscription on a day.
  public func state(on day: CalendarDay) -> State {
    if let endDay, day >= endDay { return .ended(endDay) }
    if let pause, pause.contains(day) { return .paused(pause.end) }
    if let trialEnd, day < trialEnd { return .trial(trialEnd) }
    return endDay.map(State.ending) ?? .active
  }

  /// The charges of a rhythm that come: on `start` or later, before the end, not in a pause.
  func firstDay(of schedule: BillingSchedule, onOrAfter start: CalendarDay) -> CalendarDay? {
    var day = schedule.firstDay(onOrAfter: max(start, trialEnd ?? start))
    if let pause, pause.contains(day) {
      guard let end = pause.end else { return nil }
      day = schedule.firstDay(onOrAfter: end)
    }
    return endDay.map { day < $0 } ?? true ? day : nil
  }

  /// The same for all of a time. Nothing is looked at beyond the end.
  func days(of schedule: BillingSchedule, from start: CalendarDay, through end: CalendarDay) -> [CalendarDay] {
    let bounds = [endDay, pause?.end == nil ? pause?.start : nil].compactMap { $0?.adding(days: -1) } + [end]
    let days = schedule.days(from: max(start, trialEnd ?? start), through: bounds.min() ?? end)
    guard let pause else { return days }
    return days.filter { !pause.contains($0) }
  }
}
