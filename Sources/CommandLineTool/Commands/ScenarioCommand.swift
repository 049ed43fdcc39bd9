import ArgumentParser
import Foundation
import ScenarioRunner
import StoreInspection

struct ScenarioCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scenario", abstract: "Run conflict scenarios that are written as files.",
    discussion: "The format is described in SyncFixtures/README.md.", subcommands: [Run.self])

  struct Run: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Run scenario files, or all of a folder; exit code 0 only if all hold.",
      discussion: "Each runs on stores of its own that go afterwards.")

    @Argument(
      help: ArgumentHelp("Scenario files, or folders of them.", valueName: "path"),
      completion: .file(extensions: ["json"]))
    var paths: [String]

    @OptionGroup var output: OutputOptions

    func run() throws {
      let files = try ScenarioRunner.files(at: paths.map { URL(fileURLWithPath: $0) })
      let progress = Progress("scenarios")
      var failed = 0
      for (index, file) in files.enumerated() {
        progress.update("\(index + 1) of \(files.count)")
        let wait = MainThreadWait<ScenarioResult>()
        let result = try wait.run { await ScenarioRunner().run(file) }
        progress.finish()
        if !result.holds { failed += 1 }
        try show(result)
      }
      if !output.json {
        try Console.standard.print("\(files.count - failed) of \(DisplayText.count(files.count, "scenario")) hold")
      }
      if failed > 0 { throw SilentExit(.found) }
    }

    private func show(_ result: ScenarioResult) throws {
      if output.json {
        try Console.standard.print(try JSON(encoding: result))
      } else {
        try Console.standard.print(result.line)
      }
      try Console.standard.flush()
    }
  }
}
