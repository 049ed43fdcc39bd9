import ArgumentParser
import RecordStore
import StoreInspection

struct Edit: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Give fields of a record new values.",
    discussion: """
      Values are written as for 'tandem insert'; without any, one JSON object is read
      from standard input. What is not named stays. A list of related records names
      all of them. Exit code 2 if there is no such record, or the schema's rules
      refuse a value; then nothing was changed.

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
    let (outcome, entity, edited) = try EditSession(store, author: authorship.author).edit(id, input)
    guard output.json else {
      let verb = outcome.transaction == 0 ? "nothing to change in" : "edited"
      return try Console.standard.print("\(verb) \(entity) \(edited)")
    }
    try Console.standard.print(outcome.json(entity: entity, id: edited))
  }
}
