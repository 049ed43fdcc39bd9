import ArgumentParser
import Foundation
import RecordStore
import SQLiteBridge
import StoreInspection

struct Import: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Take the records of another program's file into a store.",
    discussion: """
      <file> is a SQLite file: one that 'tandem export' wrote, that of an app with
      SwiftData or Core Data, or that of any program. It is copied, with the
      write-ahead log beside it, and only the copy is opened; nothing of it runs.
      Or it is CSV (.csv, .tsv), whose first line has the names of properties, or
      JSON with an object a line (any other name).

      If there is no <store>, one is made. Tables become entities, foreign keys
      relationships, tables of two foreign keys many-to-many relationships, and a
      column has the narrowest type that holds its values. If there is one, tables
      and columns find its entities and properties by name, and the records are new
      edits in one transaction. A second import of a SQLite file, or of lines with
      @id or a unique value, changes what differs. What was left out or taken in
      another way is listed on standard error.

      Either all is imported or nothing.

      Example: tandem import copy.store shop.sqlite
               tandem import shop.store prices.csv --entity Item --dry-run
      """)

  @Argument(
    help: ArgumentHelp("The store's directory, new or not.", valueName: "store"), completion: .directory,
    transform: GivenPath.text)
  var path: String

  @Argument(help: ArgumentHelp("The file.", valueName: "file"), completion: .file(), transform: GivenPath.text)
  var file: String

  @Option(help: "The entity of CSV, or of lines without @entity; else the file's name.")
  var entity: String?

  @Flag(help: "Say what would be done, and do nothing.")
  var dryRun = false

  @Flag(help: "Say how long it took.")
  var timing = false

  @Option(help: "The author of the import, kept in history.")
  var author: String?

  @OptionGroup var access: AccessOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    let start = ContinuousClock.now
    let progress = Progress("import")
    let report = try sayingThatNothingWasImported { try importFile { progress.update($0, "records") } }
    progress.finish()
    try show(report, after: ContinuousClock.now - start)
  }

  private func importFile(progress: @escaping (Int) -> Void) throws -> ImportReport {
    let url = URL(fileURLWithPath: file)
    guard try SQLiteCopy.isSQLite(url) else { return try importText(url) }
    guard entity == nil else {
      throw CommandFailure("\(file) is a SQLite file, which names its entities itself; leave out --entity")
    }
    let copy = try SQLiteCopy(url)
    return try Interruption.shared.whileRunning(tidy: { copy.discard() }) {
      let file = try SQLiteImport(copy)
      guard FileManager.default.fileExists(atPath: path) else {
        return try create { try file.create($0, author: author, progress: progress) }
      }
      return try file.enter(into: try openStore(), author: author, isDryRun: dryRun, progress: progress)
    }
  }

  private func importText(_ url: URL) throws -> ImportReport {
    let isCSV = ["csv", "tsv"].contains(url.pathExtension.lowercased())
    let file =
      isCSV ? try TextImport(csv: url, entity: entity) : try TextImport(jsonLines: url, entity: entity)
    guard FileManager.default.fileExists(atPath: path) else {
      return try create { try file.create($0, author: author) }
    }
    return try file.enter(into: try openStore(), author: author, isDryRun: dryRun)
  }

  private func openStore() throws -> RecordStore {
    try RecordStore.open(access.configuration(try StoreLocation.store(at: path), isReadOnly: dryRun))
  }

  /// A dry run makes the store, too, and throws it away: what a new store refuses shows nowhere else.
  private func create(_ body: (StoreConfiguration) throws -> ImportReport) throws -> ImportReport {
    let store = try NewStore(path: path)
    return try Interruption.shared.whileRunning(tidy: { store.discard() }) {
      try store.fill(isKept: !dryRun) { folder in
        var configuration = access.configuration(folder, isReadOnly: false)
        configuration.createsIfMissing = true
        return try body(configuration)
      }
    }
  }

  private func sayingThatNothingWasImported<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as BridgeError {
      throw CommandFailure("\(error.message), nothing was imported")
    } catch let error as InspectionError {
      throw CommandFailure("\(error.message), nothing was imported")
    } catch let error as StoreError where error.code != .commitOutcomeUnknown {
      throw CommandFailure("\(error.message), nothing was imported")
    }
  }

  private func show(_ report: ImportReport, after time: Duration) throws {
    if output.json {
      try Console.standard.print([
        "inserted": .integer(report.inserted), "updated": .integer(report.updated),
        "unchanged": .integer(report.unchanged), "transaction": .integer(dryRun ? 0 : report.transaction),
        "notes": .array(report.notes.map { .string($0) }), "seconds": .number("\(time.tenthsOfSeconds)"),
      ])
      return
    }
    for note in report.notes { Console.standard.tell(note) }
    let suffix = (dryRun ? ", nothing was saved" : "") + (timing ? " in \(time.tenthsOfSeconds) s" : "")
    try Console.standard.print(
      "\(report.inserted) inserted, \(report.updated) updated, \(report.unchanged) unchanged\(suffix)")
  }
}
