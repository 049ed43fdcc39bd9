import ArgumentParser
import Foundation
import RecordStore
import StoreInspection

struct Check: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Check the integrity of a store, or of every store of a device directory.",
    discussion: """
      Reads everything: checksums of all records, indexes, history, references. Each
      store is checked in a process of its own, so that even pages that crash a
      reader end in a finding. Exit code 1 if anything is wrong; nothing is changed.

      Example: tandem check phone
      """)

  @Argument(
    help: ArgumentHelp("A store's directory or a device directory.", valueName: "path"), completion: .directory)
  var path: String

  @OptionGroup var access: AccessOptions

  /// The child's side: checks one store in this very process.
  @Flag(help: .hidden)
  var here = false

  @OptionGroup var output: OutputOptions

  func run() throws {
    if here {
      CrashSentence.remove()
      var configuration = access.configuration(url, isReadOnly: true)
      // Whoever started this process waits for its end and tells what it was.
      configuration.ignoresOpeningMarker = true
      try Console.standard.print(CheckOutcome(checkingHere: configuration).json)
      return
    }
    var isSound = true
    for store in try stores() {
      let outcome = try IntegrityChild(store: store, access: access).run()
      try show(outcome, of: store)
      isSound = isSound && outcome.isSound
    }
    if !isSound { throw SilentExit(.found) }
  }

  private var url: URL { URL(fileURLWithPath: path, isDirectory: true) }

  private func stores() throws -> [URL] {
    if StoreLocation.isStore(url) { return [url] }
    let stores = try StoreLocation.stores(inDevice: url)
    return stores.isEmpty ? [url] : stores
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
      try Console.standard.print("  restore a backup, or move it away and sync it anew from another device")
    }
  }
}
