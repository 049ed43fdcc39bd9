import ArgumentParser
import Foundation

/// The root: `tools/campaign` builds and starts it.
struct CampaignCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "campaign",
    abstract: "Breaks the world around stores in every way that can be played, and looks at what is left.",
    discussion: """
      Progress and findings go to standard error; the last line on standard output counts. Exit code 0: nothing was \
      found; 1: something was, each with the command that shows it again; 2: the campaign itself could not go on; 64: \
      wrong usage. Ctrl-C ends all processes and removes all folders and mounts. Without options a command does what \
      continuous integration does, in about a minute; --long is the long form.
      """,
    subcommands: [Faults.self, Kills.self, PowerCut.self, Soak.self, EnvironmentCommand.self])
}

/// What all campaigns are told.
struct CampaignOptions: ParsableArguments {
  @Option(help: "What chance follows from; drawn and printed unless given.") var seed: UInt64?
  @Option(help: "How many pieces of work run at a time; by default one a processor.") var jobs: Int?
  @Option(help: "Where the stores lie; by default in memory.") var folder: String?
  @Flag(name: .customLong("long"), help: "The long form.") var isLong = false

  func validate() throws {
    if let jobs, !(1...64).contains(jobs) { throw ValidationError("--jobs is between 1 and 64") }
  }

  var workers: Int { jobs ?? ProcessInfo.processInfo.activeProcessorCount }

  /// Runs a campaign with its folder, prints its last line, and ends with its exit code.
  func run(_ name: String, _ body: (_ seed: UInt64) throws -> Tally) throws {
    let seed = self.seed ?? UInt64.random(in: 1..<1_000_000)
    Progress.say("\(name) with seed \(seed)")
    let tally: Tally
    do {
      try Workplace.current.begin(at: folder)
      tally = try body(seed)
      Workplace.current.end()
    } catch {
      Workplace.current.end()
      Progress.say("\(name): \(error)")
      throw ExitCode(2)
    }
    print(tally.line)
    if !tally.findings.isEmpty { throw ExitCode(1) }
  }
}
