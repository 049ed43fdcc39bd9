import ArgumentParser
import Foundation
import RecordStore
import StoreInspection

struct Query: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "List records of one entity.",
    discussion: """
      Opens the store for reading only. Conditions:
        name = 'Ada' and (age >= 30 or age = null)     = != < <= > >=  and or not
        due < 2026-11-21T08:30:00Z                     dates, numbers, true, null
        name contains 'da'                             contains startswith endswith,
        name search 'ada'                              search: case ignored
        status in ('open', 'late')                     one of a list
        list.name = 'Food'                             through to-one relationships
        any items (done), all items (price > 3)        over to-many relationships
        count items (not done) > 2
        @id = '0199…'                                  the record's id
        [first name] = 'Ada'                           a name with blanks or signs

      Moments without a zone are those of the clock on the wall. With --json each
      record is a line that 'tandem load --into' takes back: dates are ISO 8601 in
      UTC with all their digits, infinities "inf" and "-inf", decimals and bytes
      (base64) strings, Codable values JSON, relationships ids. CSV and TSV have the
      same values.

      --group-by, --count, --sum, --average, --min and --max compute over groups of
      records, or over all; --sort then names columns: list.name, -count,
      '-sum(price)'.

      Example: tandem query shop.store Item --where 'price > 3' --sort title
               tandem query shop.store Item --json | tandem load copy.store --into
               tandem query shop.store Item --group-by list.name --count --sum price
      """)

  @OptionGroup var store: StoreOptions
  @Argument(help: "The entity's name; tandem info lists them.", completion: NameCompletion.entities)
  var entity: String

  @Option(name: .customLong("where"), help: ArgumentHelp("Only records that meet a condition.", valueName: "condition"))
  var condition: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Order by fields, a minus for descending: name,-list.date.", valueName: "fields"),
    completion: NameCompletion.fields)
  var sort: String?

  @Option(parsing: .unconditional, help: ArgumentHelp("At most so many records.", valueName: "n"))
  var limit: Int?

  @Option(parsing: .unconditional, help: ArgumentHelp("Leave out the first ones.", valueName: "n"))
  var offset = 0

  @Option(
    help: ArgumentHelp(
      "Only these fields and relationships, separated by commas; @id is the record's id, @entity the entity's name.",
      valueName: "names"), completion: NameCompletion.fields)
  var fields: String?

  @Flag(help: "Say how many there are instead of listing them.")
  var count = false

  @OptionGroup var aggregates: AggregateArguments

  @Flag(help: "Say how the query would run instead of running it.")
  var explain = false

  @OptionGroup var output: ListingOptions

  func validate() throws {
    if let limit, limit < 0 { throw ValidationError("--limit \(limit) is negative") }
    if offset < 0 { throw ValidationError("--offset \(offset) is negative") }
    for (option, list) in [("--fields", fields), ("--sort", sort), ("--group-by", aggregates.groupBy)] {
      guard let list, QueryArguments.names(in: list).allSatisfy(\.isEmpty) else { continue }
      throw ValidationError("\(option) names no field: name one, or leave it out")
    }
    if count && explain { throw ValidationError("--count and --explain exclude each other") }
    if aggregates.isGiven && (explain || fields != nil) {
      throw ValidationError("groups are listed with what is computed: leave out --explain and --fields")
    }
  }

  func run() throws {
    let store = try store.openForReading()
    let lines = try store.read { snapshot in
      if aggregates.isGiven { return try groups(in: snapshot) }
      let plan = try QueryArguments(
        entity: entity, condition: condition, sort: sort, limit: limit, offset: offset, fields: fields
      ).resolved(in: snapshot.catalogue, asTable: output.mode != .json)
      if explain { return answer("plan", .string(try snapshot.explain(plan.query))) }
      if count { return answer("count", .integer(try snapshot.count(plan.query))) }
      let listing = try RecordListing(plan.columns, of: plan.query, forPeople: output.isForPeople, in: snapshot)
      return listing.lines(as: output.mode, for: .current)
    }
    try Pager(output.paging).show(lines)
  }

  /// Order and window are those of the groups, not of the records in them.
  private func groups(in snapshot: borrowing StoreSnapshot) throws -> [String] {
    let query = try QueryArguments(entity: entity, condition: condition)
      .resolved(in: snapshot.catalogue, asTable: true).query
    let columns = try aggregates.columns(
      of: snapshot.catalogue.entities[query.entity], counts: count, in: snapshot.catalogue)
    var listing = try AggregateListing(columns, of: query, forPeople: output.isForPeople, in: snapshot)
    try listing.sort(by: QueryArguments.names(in: sort))
    listing.cut(offset: offset, limit: limit)
    return listing.lines(as: output.mode, for: .current)
  }

  /// One value: alone for people, as a member for programs.
  private func answer(_ name: String, _ value: JSON) -> [String] {
    if output.json { return [JSON.object([.init(name, value)]).description] }
    return [value.stringValue ?? value.description]
  }
}
