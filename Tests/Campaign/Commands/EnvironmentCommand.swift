import ArgumentParser

struct EnvironmentCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "environment",
    abstract: "Puts stores into surroundings that fail them.",
    discussion: """
      Full disks, limits of file size, descriptors and address space, read-only mounts and media, other users, PID \
      namespaces, many readers, forks, several paths to one store, clocks that jump, overlays, file systems that are \
      refused, group identifiers that try to escape. Mounts need root, or a machine that lets users unshare; what \
      cannot be played is skipped, with the reason.
      """)

  @OptionGroup var options: CampaignOptions
  @Option(help: "Only those whose name contains this.") var only: String?

  func run() throws {
    try PrivateMounts.enter()
    try options.run("environment") { seed in
      try EnvironmentCampaign(seed: seed, isLong: options.isLong, only: only).run()
    }
  }
}
