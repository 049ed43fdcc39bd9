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
      \(ConflictLog.retentionDays) days, with both sides. Restoring makes a new edit of it.
      """,
    subcommands: [List.self, Show.self, Restore.self])

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List the log, oldest first.")

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      let store = try store.openForReading()
      let conflicts = try ConflictLog(store: store).entries()
      let text = ConflictText(catalogue: try store.read { $0.catalogue })
      if output.json {
        for conflict in conflicts { try Console.standard.print(text.json(conflict)) }
      } else if conflicts.isEmpty {
        try Console.standard.print("no conflicts")
      } else {
        for line in text.table(conflicts).lines(for: .current) { try Console.standard.print(line) }
      }
    }
  }

  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Show one entry with both sides.")

    @OptionGroup var store: StoreOptions
    @Argument(help: "The entry's id, as listed.")
    var id: String
    @OptionGroup var output: OutputOptions

    func run() throws {
      let store = try store.openForReading()
      let conflict = try ConflictLog(store: store).entry(id)
      let text = ConflictText(catalogue: try store.read { $0.catalogue })
      if output.json {
        try Console.standard.print(text.json(conflict))
      } else {
        for line in text.lines(conflict) { try Console.standard.print(line) }
      }
    }
  }

  struct Restore: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Write a lost value again, as a new edit.",
      discussion: "A deleted record comes back; a delete that was overridden is done again. The entry leaves the log.")

    @OptionGroup var store: StoreOptions
    @Argument(help: "The entry's id, as listed.")
    var id: String
    @Option(help: "Who restores; kept in history.")
    var author: String?
    @OptionGroup var output: OutputOptions

    func run() throws {
      let store = try store.openForWriting()
      let conflict = try ConflictLog(store: store).entry(id)
      let result = try ConflictLog(store: store).restore(id, author: author)
      if output.json {
        try Console.standard.print(["restored": .string(id), "transaction": .integer(result.number)])
      } else {
        let name = ConflictText(catalogue: try store.read { $0.catalogue }).entityName(conflict)
        try Console.standard.print("restored \(id) of \(name) \(conflict.record), transaction \(result.number)")
      }
    }
  }
}

/// Entries of the conflict log as people and programs read them.
struct ConflictText {
  let catalogue: Catalogue

  func table(_ conflicts: [Conflict]) -> TextTable {
    var table = TextTable([.init("id"), .init("when"), .init("what"), .init("record"), .init("lost")])
    table.rows = conflicts.map { conflict in
      [
        conflict.id, DisplayText.date(milliseconds: conflict.loggedAtMilliseconds), sentence(conflict.kind),
        "\(entityName(conflict)) \(conflict.record)",
        conflict.fields.map { "\(fieldName($0, of: conflict)) = \(quoted($0.lost))" }.joined(separator: ", "),
      ]
    }
    return table
  }

  func lines(_ conflict: Conflict) -> [String] {
    let head = [
      "id       \(conflict.id)",
      "what     \(sentence(conflict.kind))",
      "record   \(entityName(conflict)) \(conflict.record)",
      "logged   \(DisplayText.date(milliseconds: conflict.loggedAtMilliseconds))",
      "lost     \(side(conflict.lostStamp))",
      "won      \(side(conflict.winningStamp))",
    ]
    let fields = conflict.fields.flatMap { field in
      [
        fieldName(field, of: conflict), "  lost   \(quoted(field.lost))", "  won    \(quoted(field.winning))",
      ]
    }
    return head + fields
  }

  func json(_ conflict: Conflict) -> JSON {
    [
      "id": .string(conflict.id), "kind": .string("\(conflict.kind)"), "entity": .string(entityName(conflict)),
      "record": .string(conflict.record.description),
      "loggedAt": .string(DisplayText.date(milliseconds: conflict.loggedAtMilliseconds)),
      "lostStamp": .string(conflict.lostStamp.text), "winningStamp": .string(conflict.winningStamp.text),
      "fields": .array(
        conflict.fields.map { field in
          [
            "field": .string(fieldName(field, of: conflict)), "lost": field.lost.json, "winning": field.winning.json,
          ]
        }),
    ]
  }

  func entityName(_ conflict: Conflict) -> String {
    catalogue.entities.indices.contains(conflict.entity)
      ? catalogue.entities[conflict.entity].name : "entity \(conflict.entity)"
  }

  private func fieldName(_ field: Conflict.Field, of conflict: Conflict) -> String {
    guard catalogue.entities.indices.contains(conflict.entity) else { return "field \(field.ordinal)" }
    let fields = catalogue.entities[conflict.entity].fields
    return fields.indices.contains(field.ordinal) ? fields[field.ordinal].name : "field \(field.ordinal)"
  }

  private func sentence(_ kind: Conflict.Kind) -> String {
    switch kind {
    case .editLost: "an edit lost to a later one"
    case .editLostToDelete: "an edit lost to a delete"
    case .deletionOverridden: "a delete lost to a later edit"
    case .aliasJoined: "two records became one"
    case .moveVoided: "a move that would have put a record below itself"
    case .referenceLost: "a one-to-one reference lost to another record's"
    }
  }

  private func side(_ stamp: Stamp) -> String {
    "\(DisplayText.date(milliseconds: stamp.wallMilliseconds)) by replica \(stamp.replica)"
  }

  private func quoted(_ value: FieldValue) -> String {
    switch value {
    case .null: "nothing"
    case .string(let text), .url(let text): "\"\(DisplayText.visible(text))\""
    default: DisplayText.value(value)
    }
  }
}
