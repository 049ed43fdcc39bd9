import ArgumentParser
import Foundation
import RecordStore
import StoreInspection

struct Delete: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Delete records, by the schema's rules.",
    discussion: """
      Names records by their ids, or with --where an entity whose records meet the
      condition. The delete rules of the schema take other records along, or refuse.
      Before more than one record goes, a person is asked; without a terminal --yes
      says so. All go in one save, or none. Exit code 2 if nothing was deleted,
      because the rules refuse it, an id is not there or the answer is no.

      Example: tandem delete shop.store 0199…
               tandem delete shop.store Item --where 'due < 2026-01-01' --dry-run
      """)

  @OptionGroup var store: StoreOptions
  @Argument(
    help: ArgumentHelp("The records' ids; with --where, the entity.", valueName: "id"),
    completion: NameCompletion.entities)
  var words: [String]
  @Option(
    name: .customLong("where"), help: ArgumentHelp("The records that meet a condition.", valueName: "condition"))
  var condition: String?
  @Flag(name: .shortAndLong, help: "Ask nothing.")
  var yes = false
  @Flag(help: "Say what would be deleted, and delete nothing.")
  var dryRun = false
  @OptionGroup var authorship: AuthorOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    if words.isEmpty { throw ValidationError("give the ids of records, or an entity with --where") }
    if condition != nil && words.count > 1 { throw ValidationError("--where takes one entity") }
    if yes && dryRun { throw ValidationError("--yes and --dry-run exclude each other") }
  }

  func run() throws {
    let session = try EditSession(store, author: authorship.author)
    let changes = try changes(by: session)
    if dryRun || !yes {
      let preview = try session.preview(changes)
      if dryRun { return try show(preview, in: session) }
      if preview.deletedCount > 1 { try ask(preview) }
    }
    try show(try session.commit { _ in (changes, ()) }.0, in: session)
  }

  private func changes(by session: EditSession) throws -> [RecordChange] {
    guard let condition else { return try session.deletions(of: words.map { try RecordFinder.id($0) }) }
    return try session.read { snapshot in
      _ = try RecordFinder.entity(named: words[0], in: snapshot.catalogue)
      let query = try QueryArguments(entity: words[0], condition: condition)
        .resolved(in: snapshot.catalogue, asTable: true).query
      return try snapshot.images(query).map { .delete(entity: $0.entity, id: $0.id) }
    }
  }

  private func ask(_ preview: EditOutcome) throws {
    guard isatty(STDIN_FILENO) == 1 else {
      throw CommandFailure("\(preview.deletions) would be deleted; add --yes if that is meant, nothing was deleted")
    }
    Console.standard.ask("Delete \(preview.deletions)? [y/N] ")
    guard let answer = readLine(), ["y", "yes"].contains(answer.lowercased()) else {
      throw CommandFailure("nothing was deleted; answer y to delete, or add --yes")
    }
  }

  private func show(_ outcome: EditOutcome, in session: EditSession) throws {
    if output.json {
      return try Console.standard.print([
        "deleted": .integer(outcome.deletedCount), "dryRun": .bool(dryRun),
        "transaction": .integer(dryRun ? 0 : outcome.transaction), "changes": outcome.changesJSON,
      ])
    }
    try Console.standard.print(
      "\(outcome.deletions) \(dryRun ? "would be deleted" : "deleted")"
        + (outcome.updates.map { ", \($0) changed" } ?? ""))
    guard dryRun else { return }
    for line in try session.read({ try outcome.deletedNames(in: $0) }) { try Console.standard.print("  \(line)") }
  }
}

extension EditOutcome {
  /// The records that would go, by id and name.
  func deletedNames(in snapshot: borrowing StoreSnapshot) throws -> [String] {
    var names: [String] = []
    for change in changes where change.kind == .delete {
      let entity = snapshot.catalogue.entities[change.entity]
      guard !entity.isJoin, let record = try snapshot.image(change.id, of: change.entity) else { continue }
      let name = RecordName.text(of: record, in: snapshot.catalogue)
      names.append("\(entity.name) \(change.id)" + (name.map { " \($0)" } ?? ""))
    }
    return names
  }
}
