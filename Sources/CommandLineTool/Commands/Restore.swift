import ArgumentParser
import Foundation
import RecordStore
import StoreInspection

struct Restore: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Take a store back to a backup, or to a copy from before a migration.",
    discussion: """
      BACKUP is a directory that 'tandem backup' made, or the name of a copy that
      'tandem backups' lists. The restored store is a new replica: on a device that
      is synchronised, the next sync brings back what other devices have of the
      changes since then.

      A backup takes the store's place in one step, also where the store is damaged
      or missing, while no process has it open. What is replaced is kept beside it as
      <store>.replaced-<time>, unless --discard-replaced is given.

      A copy is restored inside the store, also while others have it open; they go on
      with what the copy holds. The state that is replaced is copied first and listed
      by 'tandem backups', so the step can be taken back.

      Example: tandem restore shop.store /media/stick/shop.backup
      Example: tandem restore shop.store 20260102T030405Z-1.0.0
      """)

  @OptionGroup var store: StoreOptions

  @Argument(
    help: ArgumentHelp(
      "A backup's directory, or a copy's name; the newest copy if none is given.", valueName: "backup"),
    completion: .directory, transform: GivenPath.text)
  var backup: String?

  @Flag(help: "Remove the store that a backup replaces, instead of keeping it beside.")
  var discardReplaced = false

  @OptionGroup var output: OutputOptions

  func run() throws {
    let location = try store.location()
    let copies = try RecordStore.backups(of: location)
    if let backup, !copies.contains(where: { $0.name == backup }) {
      let url = URL(fileURLWithPath: backup, isDirectory: true)
      if try FileItem.given(url.path) != nil { return try restore(url, to: location) }
    }
    // A clock that ran ahead for a while would have the last word for ever.
    if backup == nil, copies.count > 1, let last = copies.last, last.madeAt > Date.now.addingTimeInterval(3600) {
      throw CommandFailure(
        "the newest copy by its name, \(last.name), was made by a clock that ran ahead, so it need not be the newest; "
          + "name the copy that is meant, as 'tandem backups' lists them")
    }
    guard let copy = backup.map({ name in copies.first { $0.name == name } }) ?? copies.last else {
      let wanted = backup.map { "there is no backup at \($0), and \(location.path) has no copy of that name" }
      throw CommandFailure(
        "\(wanted ?? "\(location.path) has no copies"); name a directory that 'tandem backup' made, or a copy that "
          + "'tandem backups' lists")
    }
    try restore(copy)
  }

  private func restore(_ backup: URL, to location: URL) throws {
    let progress = BackupLine("restore")
    let configuration = store.access.configuration(location, isReadOnly: false)
    let restored = try Interruption.shared.whileRunning(tidy: { RecordStore.removeUnfinishedBackup(to: location) }) {
      try RecordStore.restore(backupAt: backup, to: configuration, keepingReplaced: !discardReplaced) {
        progress.show($0)
      }
    }
    progress.finish()
    if output.json {
      try Console.standard.print([
        "restored": BackupText.json(restored.manifest, at: backup), "path": .string(location.path),
        "replaced": restored.replaced.map { .string($0.path) } ?? .null,
      ])
      return
    }
    try Console.standard.print(
      "restored \(DisplayText.visible(location.path)) to \(LocalTime(restored.manifest.madeAt).text), transaction "
        + "\(restored.manifest.lastTransactionNumber)")
    if let replaced = restored.replaced {
      try Console.standard.print("what was replaced is kept as \(DisplayText.visible(replaced.path))")
    }
  }

  private func restore(_ copy: StoreBackup) throws {
    if discardReplaced {
      throw CommandFailure(
        "--discard-replaced goes with a backup; what a copy replaces is one of the few that are kept")
    }
    let replaced = try store.openForWriting().restore(copy)
    if output.json {
      try Console.standard.print(["restored": .string(copy.name), "replaced": .string(replaced.name)])
      return
    }
    try Console.standard.print("restored \(copy.name), schema \(copy.schemaVersion)")
    try Console.standard.print("what was replaced is kept as \(replaced.name)")
  }
}
