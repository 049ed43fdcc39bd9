import Foundation
import RecordStore
import TestSupport
import Testing

/// The choice of an index by the rules of the Queries article, over the indexes of ``QueryFixture``. Records without an
/// order come by their ids, as entries with one value do and those of a range do not.
///
/// ```
///  0 name          5 born↓            10 note↓                     15 active, note↓ as for people
///  1 age, name↓    6 team             11 blob
///  2 score         7 boss             12 site↓, active
///  3 price↓        8 active, count    13 team, age↓, name↓
///  4 token unique  9 note, age        14 name as for people, count
/// ```
struct PlanRuleTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let title: String
    let query: RecordQuery
    /// The plan's lines behind the first one.
    let plan: [String]
    var testDescription: String { title }

    init(
      _ title: String, _ filter: RecordFilter = .all, sort: [RecordQuery.SortKey] = [], limit: Int? = nil,
      _ plan: String...
    ) {
      self.title = title
      query = RecordQuery(entity: 0, filter: filter, sort: sort, limit: limit, includesSubentities: false)
      self.plan = plan
    }
  }

  private static func ascending(_ ordinal: Int) -> RecordQuery.SortKey { .init(FieldPath(ordinal)) }
  private static func descending(_ ordinal: Int) -> RecordQuery.SortKey {
    .init(FieldPath(ordinal), isDescending: true)
  }
  private static func people(_ ordinal: Int, isDescending: Bool = false) -> RecordQuery.SortKey {
    .init(FieldPath(ordinal), isDescending: isDescending, comparison: .localizedStandard)
  }
  private static func field(
    _ ordinal: Int, _ comparison: RecordFilter.Comparison, _ value: FieldValue
  ) -> RecordFilter {
    .compare(FieldPath(ordinal), comparison, value)
  }

  private static let (name, age, score, price, born, active, token, blob, team, count, site, note) =
    (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)
  private static let anna = field(name, .equal, .string("Anna"))
  private static let seven = field(age, .equal, .int(7))
  private static let isActive = field(active, .equal, .bool(true))
  private static let inTeam = field(team, .equal, .reference(QueryFixture.id(2, 1)))
  private static let teamWords = "team = 00000000000000010000000000000002"

  static let comparisons: [Row] = [
    Row(
      "each comparison by order is a range", field(score, .less, .double(1)), "index 2 on (score): score < 1.0",
      "sort: id"),
    Row("at most", field(score, .lessOrEqual, .double(1)), "index 2 on (score): score ≤ 1.0", "sort: id"),
    Row("more than", field(score, .greater, .double(1)), "index 2 on (score): score > 1.0", "sort: id"),
    Row("at least", field(score, .greaterOrEqual, .double(1)), "index 2 on (score): score ≥ 1.0", "sort: id"),
    Row("equal", field(score, .equal, .double(1)), "index 2 on (score): score = 1.0"),
    Row("equal to nil", field(score, .equal, .null), "index 2 on (score): score = null"),
    Row("not equal is no range", field(score, .notEqual, .double(1)), "scan the table", "filter: score ≠ 1.0"),
    Row("not nil is no range", field(score, .notEqual, .null), "scan the table", "filter: score ≠ null"),
    Row("by order with nil nothing matches", field(score, .less, .null), "nothing can match"),
    Row("nothing equals not-a-number", field(score, .equal, .double(.nan)), "nothing can match"),
    Row("all differ from not-a-number", field(score, .notEqual, .double(.nan)), "scan the table"),
    Row("a descending index, too", field(price, .less, .decimal(5)), "index 3 on (price↓): price < 5", "sort: id"),
    Row(
      "two bounds are one range", .and([field(score, .greater, .double(1)), field(score, .less, .double(5))]),
      "index 2 on (score): score > 1.0 and score < 5.0", "sort: id"),
    Row(
      "a list is several ranges", .oneOf(FieldPath(score), [.double(1), .double(2)]),
      "index 2 on (score): score in [1.0, 2.0]", "sort: id"),
    Row("a list of one is an equality", .oneOf(FieldPath(score), [.double(1)]), "index 2 on (score): score = 1.0"),
    Row("a list of none matches nothing", .oneOf(FieldPath(score), []), "nothing can match"),
    Row(
      "a text's beginning is a range, and decided again by characters", .text(FieldPath(note), .hasPrefix, "li"),
      "index 9 on (note, age): note begins with \"li\"", "filter: note begins with \"li\"", "sort: id"),
    Row(
      "the empty beginning is no range", .text(FieldPath(note), .hasPrefix, ""), "scan the table",
      "filter: note begins with \"\""),
    Row(
      "a text's end is no range", .text(FieldPath(note), .hasSuffix, "e"), "scan the table",
      "filter: note ends with \"e\""),
    Row("nor is a part of it", .text(FieldPath(note), .contains, "n"), "scan the table", "filter: note contains \"n\""),
    Row(
      "nor are two fields", .compareFields(FieldPath(name), .equal, FieldPath(note)), "scan the table",
      "filter: name = note"),
    Row("a field without an index is filtered", field(count, .equal, .uint(1)), "scan the table", "filter: count = 1"),
    Row(
      "a negated condition is filtered", .not(field(score, .less, .double(1))), "scan the table",
      "filter: not score < 1.0"),
    Row("a negated equality is, too", .not(anna), "scan the table", "filter: name ≠ \"Anna\""),
    Row("a disjunction is, too", .or([anna, seven]), "scan the table", "filter: name = \"Anna\" or age = 7"),
    Row(
      "a path is, too", .compare(FieldPath(team, 0), .equal, .string("A")), "scan the table",
      "filter: team.title = \"A\""),
  ]

  static let choices: [Row] = [
    Row(
      "two equalities win over one", .and([anna, seven]), "index 1 on (age, name↓): age = 7 and name = \"Anna\""),
    Row(
      "whatever their order", .and([seven, anna]), "index 1 on (age, name↓): age = 7 and name = \"Anna\""),
    Row(
      "three win over two", .and([anna, seven, inTeam]),
      "index 13 on (team, age↓, name↓): \(teamWords) and age = 7 and name = \"Anna\""),
    Row(
      "an equality with a range wins over an equality", .and([inTeam, field(age, .less, .int(9))]),
      "index 13 on (team, age↓, name↓): \(teamWords) and age < 9", "sort: id"),
    Row(
      "an equality wins over a range", .and([field(score, .less, .double(3)), anna]),
      "index 0 on (name): name = \"Anna\"", "filter: score < 3.0"),
    Row(
      "a component without a condition ends the match", .and([inTeam, anna]), "index 0 on (name): name = \"Anna\"",
      "filter: \(teamWords)"),
    Row(
      "a range ends the match, what follows is filtered",
      .and([field(age, .greater, .int(9)), field(name, .less, .string("B")), inTeam]),
      "index 13 on (team, age↓, name↓): \(teamWords) and age > 9", "filter: name < \"B\"", "sort: id"),
    Row(
      "a look-up in a unique index wins over two equalities",
      .and([anna, seven, field(token, .equal, .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2))))]),
      "look up in unique index 4 on (token): token = 00000000-0000-0000-0000-000000000002",
      "filter: name = \"Anna\" and age = 7"),
    Row(
      "a range in a unique index is a range", field(token, .equal, .null), "unique index 4 on (token): token = null"),
    Row(
      "ids win over everything", .and([anna, .ids([fixtureID(1)])]), "record \(fixtureID(1))", "filter: name = \"Anna\""
    ),
    Row(
      "two sets of ids are their common ones",
      .and([.ids([fixtureID(1), fixtureID(2)]), .ids([fixtureID(2), fixtureID(3)])]), "record \(fixtureID(2))"),
    Row(
      "two equalities of one field: one is the range, the other filters",
      .and([anna, field(name, .equal, .string("B"))]),
      "index 0 on (name): name = \"Anna\"", "filter: name = \"B\""),
    Row(
      "an equality and a range of one field", .and([field(name, .less, .string("B")), anna]),
      "index 0 on (name): name = \"Anna\"", "filter: name < \"B\""),
    Row(
      "an index as for people serves no comparison by Swift's order",
      .and([isActive, field(note, .less, .string("x"))]), "index 8 on (active, count): active = true",
      "filter: note < \"x\"", "sort: id"),
    Row(
      "a value as long as a key is cut is decided again", field(blob, .equal, .data(Data(count: 600))),
      "index 11 on (blob): blob = 600 bytes", "filter: blob = 600 bytes"),
  ]

  static let orders: [Row] = [
    Row("without a limit the table is sorted", sort: [ascending(score)], "scan the table", "sort: score"),
    Row("with a limit an index gives the order", sort: [ascending(score)], limit: 5, "index 2 on (score)", "limit 5"),
    Row("from its end the other way", sort: [descending(score)], limit: 5, "index 2 on (score), backward", "limit 5"),
    Row("a descending index forward", sort: [descending(price)], limit: 5, "index 3 on (price↓)", "limit 5"),
    Row("and backward", sort: [ascending(price)], limit: 5, "index 3 on (price↓), backward", "limit 5"),
    Row(
      "all components must be sorted by, for ties stand by id", sort: [ascending(age)], limit: 5, "scan the table",
      "sort: age", "limit 5"),
    Row("as by both", sort: [ascending(age), descending(name)], limit: 5, "index 1 on (age, name↓)", "limit 5"),
    Row(
      "or by both reversed", sort: [descending(age), ascending(name)], limit: 5, "index 1 on (age, name↓), backward",
      "limit 5"),
    Row(
      "but not by one of them reversed", sort: [ascending(age), ascending(name)], limit: 5, "scan the table",
      "sort: age, name", "limit 5"),
    Row(
      "no more keys than components", sort: [ascending(score), ascending(name)], limit: 5, "scan the table",
      "sort: score, name", "limit 5"),
    Row("a field without an index", sort: [ascending(count)], limit: 5, "scan the table", "sort: count", "limit 5"),
    Row("a path", sort: [.init(FieldPath(team, 0))], limit: 5, "scan the table", "sort: team.title", "limit 5"),
    Row(
      "an order for people is of an index for people", sort: [people(name), ascending(count)], limit: 5,
      "index 14 on (name as for people, count)", "limit 5"),
    Row("and of no other", sort: [people(score)], limit: 5, "scan the table", "sort: score as for people", "limit 5"),
    Row(
      "Swift's order is not of an index for people", sort: [ascending(name), ascending(count)], limit: 5,
      "scan the table",
      "sort: name, count", "limit 5"),
    Row(
      "a fixed component needs no key", inTeam, sort: [descending(age), descending(name)],
      "index 13 on (team, age↓, name↓): \(teamWords)"),
    Row(
      "a key of a fixed component says nothing", anna, sort: [descending(name)], "index 0 on (name): name = \"Anna\""),
    Row(
      "with a condition on another field the order is not worth its look-ups", field(count, .equal, .uint(1)),
      sort: [ascending(score)], limit: 5, "scan the table", "filter: count = 1", "sort: score", "limit 5"),
    Row(
      "a list gives no order", .oneOf(FieldPath(score), [.double(1), .double(2)]), sort: [ascending(score)],
      "index 2 on (score): score in [1.0, 2.0]", "sort: score"),
    Row(
      "a range does", field(score, .greater, .double(1)), sort: [descending(score)],
      "index 2 on (score), backward: score > 1.0"),
    Row("nothing is nothing in any order", .none, sort: [ascending(count)], "nothing can match"),
    Row("nor are none", anna, limit: 0, "nothing can match", "limit 0"),
  ]

  @Test(arguments: comparisons + choices + orders) func `the index is the one of the rules`(row: Row) throws {
    try QueryFixture.withSource(of: [], isIndexed: true) { source throws in
      #expect(try source.explain(row.query) == (["fetch Person"] + row.plan.map { "  " + $0 }).joined(separator: "\n"))
    }
  }

  @Test func `each plan of the table finds what a scan finds`() throws {
    var generator = SeededGenerator.announced()
    let records = QueryFixture.records(using: &generator)
    let rows = Self.comparisons + Self.choices + Self.orders
    let scanned = try QueryFixture.withSource(of: records, isIndexed: false) { source throws in
      try rows.map { try source.fetch($0.query).map(\.id) }
    }
    let planned = try QueryFixture.withSource(of: records, isIndexed: true) { source throws in
      try rows.map { try source.fetch($0.query).map(\.id) }
    }
    for (row, (scan, plan)) in zip(rows, zip(scanned, planned)) {
      #expect(scan == plan, "\(row.title)")
    }
    #expect(scanned.contains { !$0.isEmpty })
  }

  /// Each kind of value as a plan prints it: nothing of a record's contents but what the query itself names.
  static let words: [(filter: RecordFilter, text: String)] = [
    (field(name, .equal, .null), "name = null"), (isActive, "active = true"), (seven, "age = 7"),
    (field(count, .equal, .uint(.max)), "count = 18446744073709551615"),
    (field(score, .greater, .double(-0.5)), "score > -0.5"),
    (field(price, .less, .decimal(Decimal(string: "9.90")!)), "price < 9.9"),
    (anna, "name = \"Anna\""), (field(site, .equal, .url("https://a.example")), "site = \"https://a.example\""),
    (
      field(born, .less, .date(Date(timeIntervalSinceReferenceDate: 0))), "born < 2001-01-01T00:00:00Z"
    ),
    (field(born, .less, .date(Date(timeIntervalSinceReferenceDate: 1e15))), "born < 1000000000000000.0 s"),
    (
      field(token, .equal, .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7)))),
      "token = 00000000-0000-0000-0000-000000000007"
    ),
    (field(blob, .equal, .data(Data([1, 2, 3]))), "blob = 3 bytes"), (inTeam, teamWords),
    (
      .oneOf(FieldPath(age), (1...6).map { .int($0) }), "age in [1, 2, 3, 4, 5, … (6)]"
    ),
    (.localizedContains(FieldPath(name), "é"), "name contains for people \"é\""),
    (.and([anna, .or([seven, isActive])]), "name = \"Anna\" and (age = 7 or active = true)"),
    (.not(.and([anna, seven])), "not (name = \"Anna\" and age = 7)"),
    (
      .anyRelated(relationship: "tags", .compare(FieldPath(0), .equal, .string("x"))), "any tags (label = \"x\")"
    ),
    (.allRelated(relationship: "reports", .not(anna)), "all reports (name ≠ \"Anna\")"),
    (.countRelated(relationship: "tags", .all, .greaterOrEqual, 2), "count of tags (everything) ≥ 2"),
    (.or([anna, .ids([fixtureID(1)])]), "name = \"Anna\" or id is the one named"),
    (.or([anna, .ids([fixtureID(1), fixtureID(2)])]), "name = \"Anna\" or id is one of 2"),
  ]

  @Test(arguments: words) func `a condition is printed in words`(filter: RecordFilter, text: String) throws {
    try QueryFixture.withSource(of: [], isIndexed: false) { source throws in
      let plan = try source.explain(RecordQuery(entity: 0, filter: filter, includesSubentities: false))
      #expect(plan == "fetch Person\n  scan the table\n  filter: \(text)")
    }
  }
}
