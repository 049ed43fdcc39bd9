import ArgumentParser
import Foundation
import RecordStore
import StoreInspection

struct Backups: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "List the copies of a store from before its migrations.",
    discussion: """
      A migration that rewrites records copies the store first; the newest few copies
      are kept in <store>/backups. Each is a store that every command can read.

      Example: tandem backups shop.store
      """)

  @OptionGroup var store: StoreOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    let backups = try RecordStore.backups(of: store.location())
    // Where there is no store, there are no copies either.
    if backups.isEmpty { _ = try store.openForReading() }
    if output.json {
      for backup in backups {
        try Console.standard.print([
          "name": .string(backup.name), "made": .string(DateText.display(backup.madeAt)),
          "schema": .string("\(backup.schemaVersion)"), "path": .string(backup.url.path),
        ])
      }
      return
    }
    // Beside the list, which is empty.
    if backups.isEmpty { return Console.standard.note("no copies: no migration of this store has rewritten records") }
    var table = TextTable([.init("name"), .init("made"), .init("schema")])
    table.rows = backups.map {
      [DisplayText.visible($0.name), LocalTime($0.madeAt).text, "\($0.schemaVersion)"]
    }
    for line in table.lines(for: .current) { try Console.standard.print(line) }
  }
}
