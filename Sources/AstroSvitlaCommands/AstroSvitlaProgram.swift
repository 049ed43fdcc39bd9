public import ArgumentParser

/// The app as a program: what it sells, what a person owns, and a local App Store to buy from.
public struct AstroSvitlaProgram: AsyncParsableCommand {
  /// Name, help and commands.
  public static let configuration = CommandConfiguration(
    commandName: "astrosvitla",
    abstract: "Astrological reports for credits, bought in a local App Store that several devices share.",
    discussion: Program.exitCodes, version: "0.1.0",
    subcommands: [
      ProductsCommand.self, Buy.self, Waiting.self, Approve.self, Decline.self, Refund.self, Restore.self, Open.self,
      Credits.self, Plan.self, ProfileCommand.self, ChartCommand.self, ReportCommand.self, History.self,
      Statistics.self,
      AppStoreCommand.self,
    ])

  /// Creates the root of the commands.
  public init() {}

  /// Parses the command line, runs and ends the process with a documented exit code.
  public static func start() -> Never { Program.start(Self.self) }
}
