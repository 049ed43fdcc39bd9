import ArgumentParser

struct Kills: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Kills processes at random moments of all steps, and stops others for a while.",
    discussion: """
      A writer, a reader or both are killed while they create, open, save, read, migrate, export, import, compact, \
      copy, back up or close, every other store with large values beside it. Each save that was acknowledged must be \
      there, whole, and the next process must go on at once; the last line says how long it took, with its own start. \
      Without --long: 300 kills and 2 stops of a second; with it 20,000 and 6 of two minutes.
      """)

  @OptionGroup var options: CampaignOptions
  @Option(help: "How many kills.") var kills: Int?
  @Option(help: "How many processes are stopped.") var stops: Int?
  @Option(help: "For how long each.") var stopSeconds: Double?
  @Option(help: "A next process that takes longer is a finding.") var limitSeconds: Double?

  func run() throws {
    try options.run("kills") { seed in
      try KillCampaign(
        seed: seed, kills: kills ?? (options.isLong ? 20_000 : 300), jobs: options.workers,
        stops: stops ?? (options.isLong ? 6 : 2), stopSeconds: stopSeconds ?? (options.isLong ? 120 : 1),
        limitSeconds: limitSeconds ?? (options.isLong ? 1 : 20)
      ).run()
    }
  }
}
