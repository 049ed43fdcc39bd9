import MySubGuard

/// A change of a subscription's trial, pause or end, as three commands make it.
struct StandingChange {
  private let target: SubscriptionArgument
  private let device: DeviceOptions
  private let today: TodayOptions
  private let output: OutputOptions

  init(
    _ target: SubscriptionArgument, _ device: DeviceOptions, _ today: TodayOptions, _ output: OutputOptions
  ) {
    (self.target, self.device, self.today, self.output) = (target, device, today, output)
  }

  func run(_ verb: MessageKey, _ change: (inout Standing) throws -> Void) throws {
    try run(verb) { standing, _ in try change(&standing) }
  }

  func run(_ verb: MessageKey, _ change: (inout Standing, SubscriptionDetails) throws -> Void) throws {
    let book = try device.book(.readWriteExisting, today.day)
    let stored = try book.subscription(named: target.subscription)
    var standing = stored.standing
    try change(&standing, stored)
    let details = try stored.edited(standing: standing, today: today.day)
    let isChanged = try book.replace(with: details)
    try Report.changed(isChanged ? verb : .unchanged, details, on: today.day, as: output)
  }
}

extension Standing.State {
  /// Such as `trial until Mar 1, 2026`; empty while a subscription is simply charged.
  var text: String {
    let locale = AppLocale.current
    return switch self {
    case .active: ""
    case .ending(let day): locale.text(.stateEnding, locale.text(day))
    case .trial(let day): locale.text(.stateTrial, locale.text(day))
    case .paused(let day?): locale.text(.statePausedUntil, locale.text(day))
    case .paused(nil): locale.text(.statePaused)
    case .ended(let day): locale.text(.stateEnded, locale.text(day))
    }
  }
}
