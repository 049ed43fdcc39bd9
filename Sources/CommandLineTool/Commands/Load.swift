import ArgumentParser
import Foundation
import RecordStore
import StoreInspection

struct Load: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Make a store of a dump, or enter lines into a store.",
    discussion: """
      Without --into, <store> must not exist: it becomes equal to the dumped one,
      with ids, stamps and tombstones, as a new replica of the same family.

      With --into the lines are new edits of an existing store, in one transaction:
      those of a dump, those that 'tandem query --json' prints, or lines such as
        {"@entity":"List","name":"Food"}   a new record, or the one of that unique value
        {"@entity":"Item","@id":"0199…","price":"3.50"}    the record of that id
      A new record must have every required field that has no default; a record that
      is there keeps what its line leaves out. A list of related records names all of
      them. Lines are counted as inserted, updated or unchanged by what they changed.

      Either all is loaded or nothing.

      Example: tandem load copy.store shop.jsonl
               tandem query a.store List --json | tandem load b.store --into
      """)

  @Argument(
    help: ArgumentHelp("The store's directory.", valueName: "store"), completion: .directory, transform: GivenPath.text)
  var path: String

  @Argument(
    help: ArgumentHelp("The dump; standard input if left out.", valueName: "file"), completion: .file(),
    transform: GivenPath.text)
  var file: String?

  @Flag(help: "Enter the lines into an existing store as new edits.")
  var into = false

  @Option(help: "The author of the load, kept in history (with --into).")
  var author: String?

  @OptionGroup var access: AccessOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    if author != nil && !into { throw ValidationError("--author needs --into: a copy keeps the authors that it has") }
  }

  func run() throws {
    let input = try input()
    let progress = Progress("load")
    let outcome = try sayingThatNothingWasLoaded {
      let reader = try DumpReader(LineReader(input))
      return into ? try enter(reader, progress) : try create(reader, progress)
    }
    progress.finish()
    try show(outcome)
  }

  /// A load that throws has left the store as it was.
  private func sayingThatNothingWasLoaded<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as InspectionError {
      throw CommandFailure("\(error.message), nothing was loaded")
    } catch let error as StoreError where error.code != .commitOutcomeUnknown {
      throw CommandFailure("\(error.message), nothing was loaded")
    }
  }

  private func input() throws -> FileHandle {
    guard let file, file != "-" else { return .standardInput }
    guard let item = try FileItem.given(file) else {
      throw CommandFailure("there is no file \(file); check the path, or leave it out to read standard input")
    }
    guard item != .directory else {
      throw CommandFailure("\(file) is a folder; name a file that 'tandem dump' has written")
    }
    guard let handle = FileHandle(forReadingAtPath: file) else {
      throw CommandFailure("this user may not read \(file); change its permissions")
    }
    return handle
  }

  private func enter(_ reader: DumpReader, _ progress: Progress) throws -> RecordLoad.Outcome {
    let store = try RecordStore.open(access.configuration(try StoreLocation.store(at: path), isReadOnly: false))
    return try RecordLoad.apply(reader, to: store, author: author) { progress.update($0, "records") }
  }

  private func create(_ reader: DumpReader, _ progress: Progress) throws -> RecordLoad.Outcome {
    let store = try NewStore(
      path: path, remedy: "name a new store, or add --into to enter the lines into this one")
    return try Interruption.shared.whileRunning(tidy: { store.discard() }) {
      try store.fill { folder in
        var configuration = access.configuration(folder, isReadOnly: false)
        configuration.createsIfMissing = true
        return try RecordLoad.create(configuration, from: reader) { progress.update($0, "records") }
      }
    }
  }

  private func show(_ outcome: RecordLoad.Outcome) throws {
    if output.json {
      try Console.standard.print([
        "inserted": .integer(outcome.inserted), "updated": .integer(outcome.updated),
        "unchanged": .integer(outcome.unchanged), "transaction": .integer(outcome.transaction),
      ])
    } else if into {
      try Console.standard.print(
        "\(outcome.inserted) inserted, \(outcome.updated) updated, \(outcome.unchanged) unchanged")
    } else {
      try Console.standard.print(
        "\(DisplayText.count(outcome.inserted, "record")) loaded into \(DisplayText.visible(path))")
    }
  }
}
