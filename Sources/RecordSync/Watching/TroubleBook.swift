/// Which troubles a watch has told, so that each is told once, and once when it is over.
struct TroubleBook {
  private var current: [String] = []
  private var warnings: Set<String> = []

  /// Notes the troubles of a run that ended with a report.
  mutating func note<Report>(_ report: Report) -> [WatchEvent<Report>] {
    let new = report.warnings.filter { warnings.insert($0).inserted }
    return replace(by: report.troubles) + new.map { .warning($0) }
  }

  /// Notes the trouble that ended a run. Other troubles are not known to be over.
  mutating func note<Report>(failure: String) -> [WatchEvent<Report>] {
    guard !current.contains(failure) else { return [] }
    current.append(failure)
    return [.trouble(failure)]
  }

  private mutating func replace<Report>(by troubles: [String]) -> [WatchEvent<Report>] {
    let (over, new) = (current.filter { !troubles.contains($0) }, troubles.filter { !current.contains($0) })
    current = troubles
    return over.map { .over($0) } + new.map { .trouble($0) }
  }
}
