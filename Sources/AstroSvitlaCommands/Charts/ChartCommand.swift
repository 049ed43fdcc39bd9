import ArgumentParser

struct ChartCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "chart", abstract: "Keep birth charts.", discussion: Program.exitCodes,
    subcommands: [
      ChartAdd.self, ChartList.self, ChartShow.self, ChartRename.self, ChartRecalculate.self, ChartDelete.self,
      ChartPlaces.self,
    ])
}
