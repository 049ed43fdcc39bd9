import ArgumentParser
import Foundation
import RecordStore
import SQLiteBridge
import StoreInspection

struct Export: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Write a store's records for other programs.",
    discussion: """
      A SQLite file has a table for each entity, with typed columns and foreign keys,
      and one for each many-to-many relationship; 'tandem import' gives back the same
      records. --csv makes a folder with a file for each entity, --json-lines a file
      with an object a line. Records are those of one moment; others may go on
      saving. What a file has in another form, or not at all, is listed on standard
      error.

      The file gets its name when it is whole; Ctrl-C leaves nothing behind.

      Example: tandem export shop.store shop.sqlite
               tandem export shop.store --csv shop-tables
      """)

  @OptionGroup var store: StoreOptions

  @Argument(help: ArgumentHelp("The SQLite file.", valueName: "file"), completion: .file(), transform: GivenPath.text)
  var file: String?

  @Option(
    help: ArgumentHelp("Make this folder, with a CSV file for each entity.", valueName: "directory"),
    completion: .directory, transform: GivenPath.text)
  var csv: String?

  @Option(help: ArgumentHelp("Write JSON Lines.", valueName: "file"), completion: .file(), transform: GivenPath.text)
  var jsonLines: String?

  @Flag(help: "Replace a file that is there. A folder is never replaced.")
  var force = false

  @Flag(help: "Say how long it took.")
  var timing = false

  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard [file, csv, jsonLines].compactMap(\.self).count == 1 else {
      throw ValidationError("give one of a SQLite file, --csv and --json-lines")
    }
  }

  func run() throws {
    let start = ContinuousClock.now
    let store = try store.openForReading()
    let target = try PartialFile(URL(fileURLWithPath: file ?? csv ?? jsonLines ?? ""), replacing: force)
    let progress = Progress("export")
    let report = try Interruption.shared.whileRunning(tidy: { target.discard() }) {
      try write(store, target) { progress.update($0, "records") }
    }
    progress.finish()
    try show(report, at: target, after: ContinuousClock.now - start)
  }

  private func write(
    _ store: RecordStore, _ target: PartialFile, progress: @escaping (Int) -> Void
  ) throws -> ExportReport {
    if csv != nil { return try TextExport.writeCSV(store, target, progress: progress) }
    if jsonLines != nil { return try TextExport.writeJSONLines(store, target, progress: progress) }
    return try SQLiteExport.write(store, target, progress: progress)
  }

  private func show(_ report: ExportReport, at target: PartialFile, after time: Duration) throws {
    if output.json {
      try Console.standard.print([
        "path": .string(target.target.path),
        "parts": .array(
          report.parts.map {
            ["name": .string($0.name), "target": .string($0.target), "rows": .integer($0.rowCount)]
          }),
        "notes": .array(report.notes.map { .string($0) }), "seconds": .number("\(time.tenthsOfSeconds)"),
      ])
      return
    }
    for note in report.notes { Console.standard.tell(note) }
    let suffix = timing ? " in \(time.tenthsOfSeconds) s" : ""
    let place = DisplayText.visible(target.target.path)
    try Console.standard.print("\(DisplayText.count(report.recordCount, "record")) written to \(place)\(suffix)")
  }
}

extension Duration {
  /// For people: how long something took.
  var tenthsOfSeconds: Double { (self / .milliseconds(100)).rounded() / 10 }
}
