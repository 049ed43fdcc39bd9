/// What a launch found and did.
public struct RecoveryReport: Hashable, Sendable {
  /// What became of each transaction that was looked at.
  public var outcomes: [DeliveryOutcome] = []
  /// Notes of deliveries that the App Store knew to be finished already.
  public var notesDropped = 0
  /// Deliveries of which the App Store could not be told; it is told later.
  public var unfinishedCount = 0
  /// The credits after it.
  public var balance = CreditBalance(CreditLedger(credits: [], consumptions: []))

  /// The plan after it.
  public var plan = PlanStanding()

  /// Credits that were delivered now.
  public var creditsDelivered: Int {
    outcomes.reduce(0) { sum, outcome in
      if case .delivered(_, let credits) = outcome { sum + credits } else { sum }
    }
  }

  /// Transactions that were put aside.
  public var quarantinedCount: Int {
    outcomes.count { if case .quarantined = $0 { true } else { false } }
  }

  mutating func add(_ delivery: PurchaseService.Delivery) {
    outcomes.append(delivery.outcome)
    if delivery.finishError != nil { unfinishedCount += 1 }
  }
}
