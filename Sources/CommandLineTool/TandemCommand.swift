import ArgumentParser
import Tandem

/// The root: a list.
struct TandemCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tandem",
    abstract: "Look into stores, change them, and make devices equal.",
    discussion: """
      A store is a directory (….store). A device directory holds stores as
      <group>/<name>.store; where a command wants one store, a device directory
      with exactly one will do. Data goes to standard output, trouble to standard
      error; --json makes every answer readable for programs, and 'tandem schema-of'
      prints what to expect.

      \(ExitStatus.explanation)

      Completions: tandem --generate-completion-script bash|zsh|fish
      Manual pages: tandem man <folder>
      """,
    version: "tandem \(TandemVersion.current)",
    subcommands: [Man.self],
    groupedSubcommands: [
      CommandGroup(
        name: "Looking",
        subcommands: [
          Info.self, SchemaCommand.self, Query.self, Shell.self, Serve.self, History.self, Diff.self, Check.self,
          SchemaOf.self,
        ]),
      CommandGroup(
        name: "Devices",
        subcommands: [
          Sync.self, Status.self, Retire.self, Share.self, Join.self, Leave.self, Key.self, Conflicts.self,
          ScenarioCommand.self,
        ]),
      CommandGroup(
        name: "Data",
        subcommands: [Insert.self, Edit.self, Delete.self, Dump.self, Load.self, Export.self, Import.self]),
      CommandGroup(
        name: "Backup and repair",
        subcommands: [
          Backup.self, Backups.self, Restore.self, Salvage.self, Rebuild.self,
        ]),
      CommandGroup(
        name: "Keys and values",
        subcommands: [
          Get.self, Put.self, Increment.self, Remove.self, ListKeys.self, Watch.self, Suites.self,
        ]),
    ])
}
