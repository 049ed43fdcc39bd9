import ArgumentParser

struct Soak: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Everything at once: writers, readers, an exchange, kills, stops, long readers.",
    discussion: """
      Two writers, two readers and a process that exchanges with a second device share a store whose map starts \
      small. All are killed and stopped at random, readers keep snapshots for long, and now and then there are more \
      of them than slots. The sum of the accounts must be right in every snapshot, each acknowledged save there in \
      the end, and the file must not grow beyond a bound. Without --long: a minute, with it an hour.
      """)

  @OptionGroup var options: CampaignOptions
  @Option(help: "For how long.") var seconds: Double?

  func run() throws {
    try options.run("soak") { seed in
      try SoakCampaign(seed: seed, seconds: seconds ?? (options.isLong ? 3600 : 60)).run()
    }
  }
}
