public import Foundation

/// How a person's plan stands at a moment: a pure function of what was paid and of what the App Store said, so that
/// devices with equal records agree, and that the plan ends by itself while a device is offline.
///
/// 1. A paid time entitles from its purchase to its end, unless the money was taken back. The App Store dates the
///    purchase: on a device whose clock is behind by less than a day it has begun, too.
/// 2. A grace period entitles to its end: the renewal could not be paid, and the App Store is trying again. It holds as
///    long as no time was revoked after it was granted and its last word grants it.
public struct PlanStanding: Hashable, Codable, Sendable {
  /// One paid time of a plan.
  public struct Period: Hashable, Sendable {
    /// What makes its transaction the same one everywhere.
    public var key: TransactionKey
    /// When it was paid.
    public var start: Date
    /// When it ends.
    public var end: Date
    /// Whether the money was taken back.
    public var isRevoked: Bool

    /// Creates a time from its parts.
    public init(key: TransactionKey, start: Date, end: Date, isRevoked: Bool = false) {
      (self.key, self.start, self.end, self.isRevoked) = (key, start, end, isRevoked)
    }

    fileprivate func holds(at date: Date) -> Bool { start <= date && date < end }

    fileprivate func holds(at date: Date, behindBy seconds: TimeInterval) -> Bool {
      start.timeIntervalSince(date) < seconds && date < end
    }
  }

  /// What a plan can be.
  public enum State: String, CaseIterable, Codable, Hashable, Sendable {
    /// The person never had a plan.
    case none
    /// Reports cost no credit.
    case active
    /// The renewal could not be paid; reports cost no credit yet.
    case inGracePeriod
    /// The paid time is over.
    case expired
    /// The paid time begins later, by a clock that is behind.
    case notBegun
    /// The money was taken back.
    case revoked
  }

  /// What the plan is.
  public var state: State
  /// When the last time ends or ended that was paid; nil without one.
  public var paidUntil: Date?
  /// When the grace period ends; nil outside of one.
  public var graceEndsAt: Date?
  /// Whether the App Store is going to renew it.
  public var willRenew: Bool
  /// The transaction that a report of this moment is made under, by the text of its ``TransactionKey``; nil where the
  /// plan pays for none.
  public var transactionKey: String?

  /// Whether reports cost no credit.
  public var isEntitled: Bool { state == .active || state == .inGracePeriod }

  /// No plan.
  public init() { self.init(periods: [], willRenew: false, graceEndsAt: nil, at: .distantPast) }

  /// - Parameters:
  ///   - periods: All times that were ever paid.
  ///   - willRenew: By the App Store's last word.
  ///   - graceEndsAt: By the App Store's last word.
  ///   - date: The moment.
  public init(periods: [Period], willRenew: Bool, graceEndsAt: Date?, at date: Date) {
    let sorted = periods.sorted { ($0.end, $0.key) < ($1.end, $1.key) }
    let valid = sorted.filter { !$0.isRevoked }
    let current = valid.last { $0.holds(at: date) } ?? valid.last { $0.holds(at: date, behindBy: 86_400) }
    let isGrace = current == nil && sorted.last?.isRevoked == false && graceEndsAt.map { date < $0 } ?? false
    paidUntil = valid.last?.end
    state =
      switch sorted.last {
      case _ where current != nil: .active
      case _ where isGrace: .inGracePeriod
      case nil: .none
      case let last? where last.isRevoked: .revoked
      case let last?: date < last.end ? .notBegun : .expired
      }
    transactionKey = (current ?? (isGrace ? valid.last : nil))?.key.text
    self.graceEndsAt = isGrace ? graceEndsAt : nil
    self.willRenew = willRenew && (current != nil || isGrace)
  }
}
