import ArgumentParser
import Foundation
import RecordStore
import SQLiteBridge
import StoreInspection

struct Dump: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Write a store out as JSON Lines, without loss.",
    discussion: """
      A schema line, then one line a record with all its facts, stamps and
      tombstones included. 'tandem load' makes an equal store of it. History and
      the marks of synchronisation belong to one device and stay there.
      Opens the store for reading only.

      Example: tandem dump phone/group.example/shop.store --output shop.jsonl
      """)

  @OptionGroup var store: StoreOptions

  @Option(
    name: .shortAndLong, help: ArgumentHelp("Write to a new file instead of standard output.", valueName: "file"),
    completion: .file(), transform: GivenPath.text)
  var output: String?

  @OptionGroup var format: OutputOptions

  func run() throws {
    let store = try store.openForReading()
    let progress = Progress("dump")
    guard let output else {
      try RecordDump.write(
        store, progress: { progress.update($0, "records") }, line: { try Console.standard.print($0) })
      return
    }
    let target = try PartialFile(
      URL(fileURLWithPath: output), replacing: false, remedy: "remove it or name another file")
    try Interruption.shared.whileRunning(tidy: { target.discard() }) {
      try target.write { url in
        let file = try TextFile(filling: url)
        try RecordDump.write(store, progress: { progress.update($0, "records") }, line: { try file.write(line: $0) })
        try file.flush()
      }
    }
  }
}
