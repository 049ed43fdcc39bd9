import ArgumentParser

struct ReportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report", abstract: "Make and read reports.", discussion: Program.exitCodes,
    subcommands: [ReportAreas.self, ReportGenerate.self, ReportList.self, ReportShow.self])
}
