public import ArgumentParser

/// The main program: everything that changes subscriptions.
public struct MySubGuardProgram: AsyncParsableCommand {
  /// The name, the help and the commands.
  public static let configuration = CommandConfiguration(
    commandName: "mysubguard",
    abstract: "Keep a person's subscriptions: what they cost and when the next charge comes.",
    discussion: Program.exitCodes, version: "0.1.0",
    subcommands: [
      Add.self, Edit.self, Delete.self, Price.self, Pay.self, Pause.self, Resume.self, Cancel.self, Undo.self,
      List.self, Show.self, Upcoming.self, Totals.self, Year.self, Import.self, Export.self,
    ])

  /// For the parser.
  public init() {}

  /// Parses the command line, runs and ends the process with a documented exit code.
  public static func start() -> Never { Program.start(Self.self) }
}
