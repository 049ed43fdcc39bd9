import ArgumentParser
import Foundation
import RecordStore
import RecordSync
import StoreInspection

struct Conflicts: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show and restore what lost when devices were made equal.",
    discussion: """
      A value that lost against a write whose author had not seen it is kept for
      \(ConflictLog.retentionDays) days, with both sides. Restoring makes a new edit
      of it.

      Example: tandem conflicts list phone
      """,
    subcommands: [List.self, Show.self, Restore.self])

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the log, oldest first.",
      discussion: """
        Exit code 0, also when the log is empty. Long values are cut; show and --json
        have them whole. A key of the key-value store is listed by suite and key.

        Example: tandem conflicts list phone --entity Item --since 2026-11-01
        """)

    @OptionGroup var store: StoreOptions
    @Option(
      help: "Only losses of this entity, or of the links of a relationship such as Tag.notes.",
      completion: NameCompletion.entities)
    var entity: String?
    @Option(help: "Only losses of the record with this id.")
    var record: String?
    @Option(help: ArgumentHelp("Only this kind; may be given several times.", valueName: "kind"))
    var kind: [ConflictKindName] = []
    @Option(help: ArgumentHelp("Only losses that were noticed since then.", valueName: "2030-01-31|time"))
    var since: LocalTime?
    @Option(help: ArgumentHelp("Only losses that were noticed until then.", valueName: "2030-01-31|time"))
    var until: LocalTime?
    @OptionGroup var output: OutputOptions

    func validate() throws {
      guard record.map({ RecordID($0) != nil }) ?? true else {
        throw ValidationError("--record takes a record's id, 32 hexadecimal digits, as listed with --json")
      }
    }

    func run() throws {
      let store = try store.openForReading()
      let catalogue = try store.read { $0.catalogue }
      if let entity, catalogue.entity(named: entity) ?? catalogue.entity(named: "~" + entity) == nil {
        throw CommandFailure("the store has no entity \(entity.debugDescription); see tandem info for those it has")
      }
      let filter = ConflictLog.Filter(
        entityName: entity, record: record.flatMap { RecordID($0) }, kinds: kind.isEmpty ? nil : Set(kind.map(\.kind)),
        since: since?.date, until: until?.date)
      let conflicts = try ConflictLog(store: store).details(matching: filter).map { try ConflictText($0, in: store) }
      if output.json {
        for conflict in conflicts { try Console.standard.print(conflict.json) }
      } else if conflicts.isEmpty {
        try Console.standard.print("no conflicts")
      } else {
        for line in ConflictText.table(conflicts).lines(for: .current) { try Console.standard.print(line) }
      }
    }
  }

  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show one entry with both sides.",
      discussion: """
        Exit code 2 if there is no entry of that id.

        Example: tandem conflicts show phone 37bf822820222755
        """)

    @OptionGroup var store: StoreOptions
    @Argument(help: "The entry's id, as listed.")
    var id: String
    @OptionGroup var output: OutputOptions

    func run() throws {
      let store = try store.openForReading()
      let text = try ConflictText(ConflictLog(store: store).details(of: id), in: store)
      if output.json {
        try Console.standard.print(text.json)
      } else {
        for line in text.lines { try Console.standard.print(line) }
      }
    }
  }

  struct Restore: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Write a lost value again, as a new edit.",
      discussion: """
        A deleted record comes back; a delete that was overridden is done again. The
        entry leaves the log. Exit code 2, and nothing is changed, if there is no entry
        of that id or it cannot be restored.

        Example: tandem conflicts restore phone 37bf822820222755 --author ada
        """)

    @OptionGroup var store: StoreOptions
    @Argument(help: "The entry's id, as listed.")
    var id: String
    @Option(help: "The author of the restored edit, kept in history.")
    var author: String?
    @OptionGroup var output: OutputOptions

    func run() throws {
      let store = try store.openForWriting()
      let text = try ConflictText(ConflictLog(store: store).details(of: id), in: store)
      let result = try ConflictLog(store: store).restore(id, author: author)
      if output.json {
        try Console.standard.print(["restored": .string(id), "transaction": .integer(result.number)])
      } else {
        try Console.standard.print(
          "restored \(id) of \(text.record), transaction \(result.number)")
      }
    }
  }
}
