import ArgumentParser
import RecordStore
import StoreInspection

struct Edit: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Give fields of a record new values.",
    discussion: """
      Values are written as for 'tandem insert'; without any, one JSON object is read from
      standard input. What is not named stays. A list of related records names all of
      them. Exit code 2 if there is no such record, or the schema's rules refuse a value;
      then nothing was changed.

      Example: tandem edit shop.store 0199… price=3.75 list=Home
      """)

  @OptionGroup var store: StoreOptions
  @Argument(help: "The record's id; tandem query shows it.")
  var id: String
  @Argument(
    help: ArgumentHelp("New values of fields and relationships.", valueName: "field=value"),
    completion: NameCompletion.assignments)
  var words: [String] = []
  @OptionGroup var authorship: AuthorOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    let id = try RecordFinder.id(id)
    let input = try RecordInput(words: words)
    let session = try EditSession(store, author: authorship.author)
    let (outcome, edited) = try session.commit { snapshot in
      let record = try RecordFinder.record(id, in: snapshot)
      let name = snapshot.catalogue.entities[record.entity].name
      try input.require(entity: name, id: id)
      let entity = try RecordFinder.entity(named: name, in: snapshot.catalogue)
      let plan = try RecordPlan(input.statements, entity: entity, id: record.id, known: record, in: snapshot)
      return (plan.changes, (entity: name, id: record.id))
    }
    guard output.json else {
      let verb = outcome.transaction == 0 ? "nothing to change in" : "edited"
      return try Console.standard.print("\(verb) \(edited.entity) \(edited.id)")
    }
    try Console.standard.print([
      "entity": .string(edited.entity), "id": .string(edited.id.description),
      "transaction": .integer(outcome.transaction), "changes": outcome.changesJSON,
    ])
  }
}
