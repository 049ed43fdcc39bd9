import ArgumentParser

struct PowerCut: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Cuts the power at random places of runs of saves and exports.",
    discussion: """
      Writes that no flush has brought to the device are there or not, each sector on its own; names come in their \
      order. Each image must open, be sound, hold all that was acknowledged and nothing that was not begun, and take a \
      save; others must be able to import what was exported. With the durability `relaxed` the last saves may be \
      missing. The same is done with images of a block device under a real ext4, where the machine lets this program \
      mount. Then defects are planted that must be found. Without --long: 2,000 images, and 20 of a device; with it \
      1,000,000 and 2,000.
      """)

  @OptionGroup var options: CampaignOptions
  @Option(help: "How many images.") var images: Int?
  @Option(help: "How many images of a block device.") var devices: Int?
  @Option(help: "How many saves a run has.") var saves = 60
  @Option(help: "Only this durability: full or relaxed, or unsafe to see it fail.") var durability: String?
  @Option(help: "One image of the run with --seed and --durability, as a finding names it.") var image: Int?

  func validate() throws {
    if let durability, !["full", "relaxed", "unsafe"].contains(durability) {
      throw ValidationError("--durability is full, relaxed or unsafe")
    }
    if let images, images < 1 { throw ValidationError("--images is 1 or more") }
  }

  func run() throws {
    try PrivateMounts.enter()
    try options.run("power-cut") { seed in
      var campaign = PowerCutCampaign(
        seed: seed, images: images ?? (options.isLong ? 1_000_000 : 2000), saves: Int(saves), jobs: options.workers)
      campaign.only = image
      campaign.devices = devices ?? (options.isLong ? 2000 : 20)
      if let durability { campaign.durabilities = [durability] }
      return try campaign.run()
    }
  }
}
