import ArgumentParser
import Foundation
import RecordStore
import RecordSync
import StoreInspection

struct Check: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Check the integrity of a store, or of every store of a device directory.",
    discussion: """
      Reads everything: the structure of all pages, checksums of all records,
      indexes, history, references. Each store is checked in a process of its own: a
      damaged page that ends it is a finding, which names the signal and what was
      being read. Exit code 0 if all is sound, 1 if anything is wrong, 2 if a store
      cannot be looked at; nothing is changed. Backups are checked like stores.

      Example: tandem check phone
      """)

  @Argument(
    help: ArgumentHelp("A store's directory or a device directory.", valueName: "path"), completion: .directory,
    transform: GivenPath.text)
  var path: String

  @OptionGroup var access: AccessOptions

  /// The child's side: checks one store in this very process.
  @Flag(help: .hidden)
  var here = false

  @OptionGroup var output: OutputOptions

  func run() throws {
    if here { return try IntegrityChild.check(access.configuration(url, isReadOnly: true), at: url) }
    var isSound = true
    let (stores, refusals) = try stores()
    for store in stores {
      let outcome = try IntegrityChild(store: store, access: access).run()
      try show(outcome, of: store)
      isSound = isSound && outcome.isSound
    }
    for refusal in refusals { Console.standard.tell(refusal) }
    if !refusals.isEmpty { throw SilentExit(.nothingDone) }
    if !isSound { throw SilentExit(.found) }
  }

  private var url: URL { URL(fileURLWithPath: path, isDirectory: true) }

  /// The stores, and a sentence for each that no path leads to.
  private func stores() throws -> ([URL], refusals: [String]) {
    if StoreLocation.isStore(url) || StoreLocation.isClosedStore(url) { return ([url], []) }
    let stores = try StoreLocation.stores(inDevice: url)
    let refusals = try refusals()
    if stores.isEmpty, refusals.isEmpty { try StoreLocation.refuseGroup(url) }
    return (stores.isEmpty && refusals.isEmpty ? [url] : stores, refusals)
  }

  private func refusals() throws -> [String] {
    guard try FileItem.given(url.path) == .directory else { return [] }
    let device = try DeviceDirectory(url)
    return try device.places().compactMap { place in
      do {
        _ = try device.hasStore(at: place)
        return nil
      } catch let error as SyncError where error.code == .unusableFile {
        return error.message
      }
    }
  }

  private func show(_ outcome: CheckOutcome, of store: URL) throws {
    if case .unusable(let message) = outcome { throw CommandFailure(message) }
    if output.json {
      guard case .object(let members) = outcome.json else { return }
      try Console.standard.print(.object([.init("path", .string(store.path))] + members))
      return
    }
    let terminal = Terminal.current
    let name = DisplayText.visible(store.path)
    if case .report(let report) = outcome, report.isSound {
      let records = DisplayText.count(report.recordCount, "record")
      try Console.standard.print("\(name): \(terminal.styled("sound", .green)), \(records)")
    } else {
      try Console.standard.print("\(name): \(terminal.styled("damaged", .red))")
      for violation in outcome.violations { try Console.standard.print("  \(DisplayText.visible(violation))") }
      try Console.standard.print(
        "  restore a backup with 'tandem restore', rebuild it from its exchange folder with 'tandem rebuild', or bring "
          + "back what is intact with 'tandem salvage'")
    }
  }
}
