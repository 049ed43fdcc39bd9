import ArgumentParser

struct ProfileCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "profile", abstract: "Keep the people for whom charts are.", discussion: Program.exitCodes,
    subcommands: [ProfileList.self, ProfileRename.self, ProfileDelete.self])
}
