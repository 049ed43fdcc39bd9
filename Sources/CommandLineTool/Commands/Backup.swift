import ArgumentParser
import Foundation
import RecordStore
import StoreInspection
import Synchronization

struct Backup: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Make a backup of a store, while others go on saving.",
    discussion: """
      <destination> becomes a directory with the data and a manifest; 'tandem
      restore' takes it back, and every command that only reads can read it. It shows
      the store at one moment. It is read back and checked before it gets its name,
      and an earlier backup of the same store is replaced in one step; anything else
      that is there is left alone (exit code 2). Ctrl-C leaves nothing behind.

      Example: tandem backup phone/group.example/shop.store /media/stick/shop.backup
      """)

  @OptionGroup var store: StoreOptions

  @Argument(
    help: ArgumentHelp("The backup's directory: new, or an earlier backup of this store.", valueName: "destination"),
    completion: .directory, transform: GivenPath.text)
  var destination: String

  @Flag(help: "Leave out free pages; takes longer.")
  var compact = false

  @OptionGroup var output: OutputOptions

  func run() throws {
    let target = URL(fileURLWithPath: destination, isDirectory: true)
    let opened = try store.openForReading()
    let progress = BackupLine("backup")
    let manifest = try Interruption.shared.whileRunning(tidy: { RecordStore.removeUnfinishedBackup(to: target) }) {
      try opened.backup(to: target, compacting: compact) { progress.show($0) }
    }
    progress.finish()
    if output.json {
      try Console.standard.print(BackupText.json(manifest, at: target))
      return
    }
    try Console.standard.print(
      "\(DisplayText.visible(opened.url.path)) is backed up in \(DisplayText.visible(target.path)), "
        + "\(DisplayText.byteCount(Int(clamping: manifest.byteCount))), up to transaction "
        + "\(manifest.lastTransactionNumber), checked")
  }
}

/// The progress line of a backup, whose news comes from two threads.
final class BackupLine: Sendable {
  private let line: Mutex<Progress>

  init(_ title: String) { line = Mutex(Progress(title)) }

  func show(_ progress: BackupProgress) {
    line.withLock { line in
      switch progress {
      case .copying(let bytes, let total):
        line.update("\(DisplayText.byteCount(Int(clamping: bytes))) of \(DisplayText.byteCount(Int(clamping: total)))")
      case .verifying(let pages, let total): line.update("checking page \(pages) of \(total)")
      }
    }
  }

  func finish() { line.withLock { $0.finish() } }
}

enum BackupText {
  static func json(_ manifest: BackupManifest, at url: URL) -> JSON {
    [
      "path": .string(url.path), "store": .string(manifest.storeID.description),
      "replica": .string(manifest.replica.description), "made": .string(DateText.display(manifest.madeAt)),
      "lastTransaction": .integer(manifest.lastTransactionNumber), "bytes": .integer(manifest.byteCount),
      "compact": .bool(manifest.isCompact),
    ]
  }
}
