import ArgumentParser

struct Faults: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Makes each call of each step fail, one after the other.",
    discussion: """
      A step is done by a process in which the nth call of a class fails, once or from then on, n = 1, 2, … until \
      none is met. The process must end by itself, with success or with a typed error that is true; the store must \
      hold what was acknowledged, be sound, and take a save. After a flush that failed, the same is asked of the disk \
      without the pages that were lost. Without --long: a sample of the points.
      """)

  @OptionGroup var options: CampaignOptions
  @Option(help: "How many points, drawn at random.") var points: Int?
  @Option(help: "Only these steps.") var steps: [String] = []
  @Option(help: "Only these classes of calls.") var classes: [String] = []
  @Option(help: "One point, as a finding names it.") var only: String?

  func validate() throws {
    let known = Step.allCases.map(\.rawValue)
    for step in steps where !known.contains(step) { throw ValidationError("steps: \(known.joined(separator: " "))") }
    let kinds = FaultPoint.Class.allCases.map(\.rawValue)
    for kind in classes where !kinds.contains(kind) {
      throw ValidationError("classes: \(kinds.joined(separator: " "))")
    }
    if let only, FaultPoint(only) == nil { throw ValidationError("--only is <step>:<class>:<how>:<n>[:on][:beside]") }
  }

  func run() throws {
    try options.run("faults") { seed in
      var campaign = FaultCampaign(seed: seed, points: points ?? (options.isLong ? nil : 300), jobs: options.workers)
      if !steps.isEmpty { campaign.steps = steps.compactMap(Step.init) }
      if !classes.isEmpty { campaign.kinds = classes.compactMap(FaultPoint.Class.init) }
      campaign.only = only.flatMap(FaultPoint.init)
      return try campaign.run()
    }
  }
}
