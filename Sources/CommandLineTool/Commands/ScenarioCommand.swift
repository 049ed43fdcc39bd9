import ArgumentParser
import Foundation
import ScenarioRunner
import StoreInspection

struct ScenarioCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scenario", abstract: "Run conflict scenarios that are written as files.",
    discussion: """
      The format is described in SyncFixtures/README.md.

      Example: tandem scenario run SyncFixtures/scenarios
      """,
    subcommands: [Run.self])

  struct Run: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Run scenario files, or all of a folder; exit code 0 only if all hold.",
      discussion: """
        Each runs on stores of its own that go afterwards. Of folders all files that
        end in .json are taken, those of folders below them too. Exit code 1 if a
        scenario does not hold or its file is none, 2 if a path leads to no file.

        Example: tandem scenario run SyncFixtures/scenarios --jobs 4
        """)

    @Argument(
      help: ArgumentHelp("Scenario files, or folders of them.", valueName: "path"),
      completion: .file(extensions: ["json"]), transform: GivenPath.text)
    var paths: [String]

    @Option(help: "How many run at once.")
    var jobs = 1

    @OptionGroup var output: OutputOptions

    func validate() throws {
      guard (1...64).contains(jobs) else { throw ValidationError("--jobs takes a number from 1 to 64") }
    }

    func run() throws {
      let files = try ScenarioRunner.files(at: paths.map { URL(fileURLWithPath: $0) })
      let wait = MainThreadWait<Int>()
      let (jobs, json) = (jobs, output.json)
      let failed = try Interruption.shared.cancelling(wait.cancel) {
        try wait.run { try await ScenarioCommand.run(files, jobs: jobs, json: json) }
      }
      if !output.json {
        try Console.standard.print("\(files.count - failed) of \(DisplayText.count(files.count, "scenario")) hold")
      }
      if failed > 0 { throw SilentExit(.found) }
    }
  }

  /// Runs the files and shows each result as soon as it is there; returns how many do not hold.
  private static func run(_ files: [URL], jobs: Int, json: Bool) async throws -> Int {
    let progress = Progress("scenarios")
    var (done, failed) = (0, 0)
    try await ScenarioRunner().run(files, jobs: jobs) { result in
      done += 1
      if !result.holds { failed += 1 }
      progress.finish()
      if json { try Console.standard.print(JSON(encoding: result)) } else { try Console.standard.print(result.line) }
      try Console.standard.flush()
      progress.update("\(done) of \(files.count)")
    }
    progress.finish()
    return failed
  }
}
