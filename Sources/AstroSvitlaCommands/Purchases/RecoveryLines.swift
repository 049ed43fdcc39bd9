import AstroSvitla

/// What a launch did, for people.
struct RecoveryLines {
  let lines: [String]

  init(_ report: RecoveryReport, _ phrases: Phrases) {
    var lines = report.outcomes.compactMap { outcome -> String? in
      switch outcome {
      case .delivered(_, let credits): phrases.recovered(credits)
      case .subscribed(_, let end): phrases.subscribed(until: end)
      case .revoked(let key, let used): phrases.refunded(key.transactionID, used: used)
      case .restored(let key): phrases.reversed(key.transactionID)
      case .quarantined(let reason): phrases.putAside(reason)
      case .known: nil
      }
    }
    if report.unfinishedCount > 0 { lines.append(phrases.notTold) }
    self.lines = lines
  }

  /// On stderr, where it is not what was asked for.
  func report() { for line in lines { Program.report(line) } }
}

/// A launch as JSON.
struct RecoveryAnswer: Encodable {
  var creditsDelivered: Int
  var quarantined: Int
  var notesDropped: Int
  var notFinished: Int
  var balance: CreditBalance
  var plan: PlanStanding

  init(_ report: RecoveryReport) {
    creditsDelivered = report.creditsDelivered
    quarantined = report.quarantinedCount
    notesDropped = report.notesDropped
    notFinished = report.unfinishedCount
    balance = report.balance
    plan = report.plan
  }
}
