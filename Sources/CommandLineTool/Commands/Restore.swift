import ArgumentParser
import Foundation
import RecordStore

struct Restore: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Take a store back to a copy from before a migration.",
    discussion: """
      COPY is a name that 'tandem backups' lists. The state that is replaced is copied
      first, so the step can be taken back. Processes that have the store open go on
      with what the copy holds. On a device that is synchronised, the next sync brings
      back what other devices have of the changes since then.

      Example: tandem restore shop.store
      """)

  @OptionGroup var store: StoreOptions

  @Argument(help: ArgumentHelp("The copy's name; the newest one if none is given.", valueName: "copy"))
  var name: String?

  func run() throws {
    let location = try store.location()
    let backups = try RecordStore.backups(of: location)
    guard let backup = name.map({ name in backups.first { $0.name == name } }) ?? backups.last else {
      let wanted = name.map { "\(location.path) has no copy named \($0)" } ?? "\(location.path) has no copies"
      throw CommandFailure("\(wanted); 'tandem backups' lists them")
    }
    let replaced = try store.openForWriting().restore(backup)
    try Console.standard.print("restored \(backup.name), schema \(backup.schemaVersion)")
    try Console.standard.print("what was replaced is kept as \(replaced.name)")
  }
}
