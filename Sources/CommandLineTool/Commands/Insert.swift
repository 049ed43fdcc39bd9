import ArgumentParser
import RecordStore
import StoreInspection

struct Insert: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Insert a record.",
    discussion: """
      Values are written by their field's type: text, true, 42, 12.50, a date,
      base64. Nothing after the sign means no value. A relationship takes the id of a
      record, or the value of its unique attribute; several are separated by commas.
      With := the value is JSON. Without values, one JSON object is read from
      standard input, as 'tandem query --json' prints it.

      The schema's rules hold: a required value must be there, a unique one new, a
      relationship's other side follows. Exit code 2 if they refuse the record; then
      nothing was changed.

      Example: tandem insert shop.store Item title=Bread price=3.50 list=Food
               tandem insert shop.store Item title=Milk due:=null
      """)

  @OptionGroup var store: StoreOptions
  @Argument(help: "The entity's name; tandem info lists them.", completion: NameCompletion.entities)
  var entity: String
  @Argument(
    help: ArgumentHelp("Values of fields and relationships.", valueName: "field=value"),
    completion: NameCompletion.assignments)
  var words: [String] = []
  @OptionGroup var authorship: AuthorOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    let input = try RecordInput(words: words)
    try input.require(entity: entity, id: nil)
    let (outcome, id) = try EditSession(store, author: authorship.author).insert(entity, input)
    guard output.json else { return try Console.standard.print("inserted \(entity) \(id)") }
    try Console.standard.print(outcome.json(entity: entity, id: id))
  }
}
