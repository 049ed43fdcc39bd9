import Foundation
import RecordStore
import Testing

@testable import CommandLineTool

struct ExpressionTests {
  /// One schema for all tests of conditions: lists of items, with a field of every type.
  static let catalogue = Catalogue(entities: [
    CatalogueEntity(
      number: 0, name: "Item",
      fields: [
        CatalogueField(ordinal: 0, name: "title", type: .string, isOptional: false),
        CatalogueField(ordinal: 1, name: "price", type: .decimal, isOptional: true),
        CatalogueField(ordinal: 2, name: "count", type: .int, isOptional: false),
        CatalogueField(ordinal: 3, name: "due", type: .date, isOptional: true),
        CatalogueField(ordinal: 4, name: "done", type: .bool, isOptional: false),
        CatalogueField(ordinal: 5, name: "list", type: .reference, isOptional: true, destination: "List"),
        CatalogueField(ordinal: 6, name: "weight", type: .double, isOptional: false),
        CatalogueField(ordinal: 7, name: "key", type: .uuid, isOptional: false),
        CatalogueField(ordinal: 8, name: "size", type: .uint, isOptional: false),
        CatalogueField(ordinal: 9, name: "page", type: .url, isOptional: false),
        CatalogueField(ordinal: 10, name: "colour", type: .composite, isOptional: true),
        CatalogueField(ordinal: 11, name: "picture", type: .data, isOptional: true),
      ]),
    CatalogueEntity(
      number: 1, name: "List",
      fields: [CatalogueField(ordinal: 0, name: "name", type: .string, isOptional: false)],
      relationships: [
        CatalogueRelationship(
          name: "items", destination: "Item", isToMany: true, isOptional: true, deleteRule: .cascade, inverse: "list",
          storage: .inverse(entity: 0, ordinal: 5))
      ]),
    CatalogueEntity(
      number: 2, name: "Tool",
      fields: [
        CatalogueField(ordinal: 0, name: "Knife.blade.length", type: .int, isOptional: true),
        CatalogueField(ordinal: 1, name: "Knife.list", type: .reference, isOptional: true, destination: "List"),
        CatalogueField(ordinal: 2, name: ".class", type: .string, isOptional: true),
        CatalogueField(ordinal: 3, name: "made, in [EU]", type: .bool, isOptional: true),
        CatalogueField(ordinal: 4, name: "e-mail", type: .string, isOptional: true),
        CatalogueField(ordinal: 5, name: "not", type: .bool, isOptional: true),
      ]),
  ])

  private func filter(_ text: String, of entity: Int = 0) throws -> RecordFilter {
    try ExpressionResolver(catalogue: Self.catalogue, entity: Self.catalogue.entities[entity])
      .filter(ExpressionParser.parse(text))
  }

  @Test func `comparisons give each value the type of its field`() throws {
    #expect(try filter("title = 'bread'") == .compare(FieldPath(0), .equal, .string("bread")))
    #expect(try filter("price >= 12.50") == .compare(FieldPath(1), .greaterOrEqual, .decimal(Decimal(string: "12.5")!)))
    #expect(try filter("@field.count < -3") == .compare(FieldPath(2), .less, .int(-3)))
    #expect(try filter("weight != 1e-3") == .compare(FieldPath(6), .notEqual, .double(0.001)))
    // As long as a date, and with a hyphen where dates have one.
    #expect(try filter("weight < 1.5e-300") == .compare(FieldPath(6), .less, .double(1.5e-300)))
    #expect(try filter("size > 18446744073709551614") == .compare(FieldPath(8), .greater, .uint(.max - 1)))
    #expect(try filter("page == \"https://x.org\"") == .compare(FieldPath(9), .equal, .url("https://x.org")))
    #expect(try filter("done = FALSE") == .compare(FieldPath(4), .equal, .bool(false)))
    #expect(try filter("picture = 'AP8='") == .compare(FieldPath(11), .equal, .data(Data([0, 255]))))
    let uuid = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
    #expect(try filter("key = '\(uuid)'") == .compare(FieldPath(7), .equal, .uuid(uuid)))
  }

  @Test func `dates are read with and without quotes`() throws {
    let date = Date(timeIntervalSinceReferenceDate: 816_942_600)
    let expected = RecordFilter.compare(FieldPath(3), .less, .date(date))
    #expect(try filter("due < 2026-11-21T08:30:00Z") == expected)
    #expect(try filter("due < '2026-11-21T09:30:00+01:00'") == expected)
    #expect(try filter("due<2026-11-21T08:30:00-00:00") == expected)
  }

  @Test func `null compares by equality only`() throws {
    #expect(try filter("price = null") == .compare(FieldPath(1), .equal, .null))
    #expect(try filter("colour <> NULL") == .compare(FieldPath(10), .notEqual, .null))
    #expect(throws: ExpressionError("null has no order; only = and != compare with it", at: 9)) {
      try filter("price < null")
    }
  }

  @Test func `and binds closer than or, not closer than both`() throws {
    let done = RecordFilter.compare(FieldPath(4), .equal, .bool(true))
    let bread = RecordFilter.compare(FieldPath(0), .equal, .string("bread"))
    let unpriced = RecordFilter.compare(FieldPath(1), .equal, .null)
    #expect(try filter("done or title = 'bread' and price = null") == .or([done, .and([bread, unpriced])]))
    #expect(try filter("(done OR title='bread') AND price=null") == .and([.or([done, bread]), unpriced]))
    #expect(try filter("not done and price = null") == .and([.not(done), unpriced]))
    #expect(try filter("not not done") == done)
    #expect(try filter("not (done or price = null)") == .not(.or([done, unpriced])))
  }

  @Test func `text is searched in four ways`() throws {
    #expect(try filter("title contains 'a'") == .text(FieldPath(0), .contains, "a"))
    #expect(try filter("title startswith 'a'") == .text(FieldPath(0), .hasPrefix, "a"))
    #expect(try filter("title EndsWith 'it\\'s'") == .text(FieldPath(0), .hasSuffix, "it's"))
    #expect(try filter("title search 'jose'") == .localizedContains(FieldPath(0), "jose"))
  }

  @Test func `paths lead through references, fields compare with fields`() throws {
    #expect(try filter("list.name = 'Food'") == .compare(FieldPath(5, 0), .equal, .string("Food")))
    #expect(try filter("title = list.name") == .compareFields(FieldPath(0), .equal, FieldPath(5, 0)))
    #expect(try filter("list = null") == .compare(FieldPath(5), .equal, .null))
  }

  @Test func `a name with points is that of a field before it is a path`() throws {
    #expect(try filter("Knife.blade.length > 3", of: 2) == .compare(FieldPath(0), .greater, .int(3)))
    #expect(try filter("Knife.list.name = 'Food'", of: 2) == .compare(FieldPath(1, 0), .equal, .string("Food")))
    #expect(try filter(".class = 'Knife'", of: 2) == .compare(FieldPath(2), .equal, .string("Knife")))
    #expect(try filter("@field..class = 'Knife'", of: 2) == .compare(FieldPath(2), .equal, .string("Knife")))
    let error = #expect(throws: ExpressionError.self) { try filter("Knife.blade.length.x = 1", of: 2) }
    #expect(error?.message.hasPrefix("'Tool' has no field 'Knife'") == true)
  }

  @Test func `lists of values and ids become sets`() throws {
    #expect(try filter("title in ('a', 'b')") == .oneOf(FieldPath(0), [.string("a"), .string("b")]))
    let id = RecordID(high: 1, low: 2)
    #expect(try filter("@id = '\(id)'") == .ids([id]))
    #expect(try filter("@id != '\(id)'") == .not(.ids([id])))
    #expect(try filter("@id in ('\(id)')") == .ids([id]))
  }

  @Test func `to-many relationships are asked with any, all and count`() throws {
    let done = RecordFilter.compare(FieldPath(4), .equal, .bool(true))
    #expect(try filter("any items (done)", of: 1) == .anyRelated(relationship: "items", done))
    #expect(try filter("any items", of: 1) == .anyRelated(relationship: "items", .all))
    #expect(try filter("all items (not done)", of: 1) == .allRelated(relationship: "items", .not(done)))
    #expect(
      try filter("count items (done) >= 2", of: 1) == .countRelated(relationship: "items", done, .greaterOrEqual, 2))
    #expect(try filter("count items = 0", of: 1) == .countRelated(relationship: "items", .all, .equal, 0))
  }

  @Test func `a name in brackets may have blanks, signs and points, and is no keyword`() throws {
    #expect(try filter("[e-mail] = 'a'", of: 2) == .compare(FieldPath(4), .equal, .string("a")))
    let made = RecordFilter.compare(FieldPath(3), .equal, .bool(true))
    let flag = RecordFilter.compare(FieldPath(5), .equal, .bool(true))
    #expect(try filter("not[made, in [EU]]] and[not]", of: 2) == .and([.not(made), flag]))
    #expect(try filter("[Knife.list].[name] = 'a'", of: 2) == filter("Knife.list.name = 'a'", of: 2))
    #expect(try filter("[.class] = [e-mail]", of: 2) == filter(".class = [e-mail]", of: 2))
    #expect(try filter("list.[name] in ('a') and [count] = 1") == filter("list.name in ('a') and @field.count = 1"))
    let lists: [(String, [String])] = [
      ("a,b, c", ["a", "b", "c"]),
      ("-[made, in [EU]]],sum([unit price]),list.[x]", ["-made, in [EU]", "sum(unit price)", "list.x"]),
      ("a[1],[b", ["a[1]", "[b"]), (",,a,", ["a"]), (" ", [""]), ("", []),
    ]
    for (text, names) in lists { #expect(QueryArguments.names(in: text) == names, "\(text)") }
    #expect(
      BracketedName.single("unit, price") == "unit, price" && BracketedName.single("[unit, price]") == "unit, price")
  }

  @Test(arguments: [
    (
      "first name = 'a'", 7, "'name' is not expected here; join conditions by 'and' or 'or', and put a name with blanks"
    ),
    ("e-mail = 'a'", 2, "'-mail' is neither a number nor a date such as 2026-11-21; put text into quotes, and a name"),
    ("done and [na", 10, "the name that begins here has no closing ]"),
    ("done and [] = 1", 10, "there is no name between the brackets"),
    ("[nmae] = 'a'", 1, "'Item' has no field 'nmae'"),
    ("", 1, "expected the name of a field instead of the end"),
    ("titel = 'a'", 1, "'Item' has no field 'titel'; did you mean 'title'?"),
    ("done and naem = 'a'", 10, "'Item' has no field 'naem'; there is 'colour', 'count'"),
    ("title = bread", 9, "'Item' has no field 'bread'; there is"),
    ("title = 'bread", 9, "the text that begins here has no closing '"),
    ("title = ", 9, "expected a value instead of the end"),
    ("title 'x'", 7, "a text is not expected here; join conditions by 'and' or 'or'"),
    ("title", 1, "'title' holds text, so say what it is compared with"),
    ("done done", 6, "'done' is not expected here; join conditions by 'and' or 'or'"),
    ("(done", 6, "expected ')' for the '(' in column 1, instead of the end"),
    ("done)", 5, "')' is not expected here"),
    ("count > 3", 7, "expected the name of a relationship instead of '>'"),
    ("title > 3", 9, "'title' holds text; put it into quotes"),
    ("@field.count = 1.5", 16, "'count' holds whole numbers; write one, such as 42"),
    ("@field.count = 9223372036854775808", 16, "'count' holds whole numbers"),
    ("size = -1", 8, "'size' holds whole numbers from 0"),
    ("due < 2026-02-30", 7, "'due' holds dates; write one, such as 2026-11-21"),
    ("due < tomorrow", 7, "'Item' has no field 'tomorrow'"),
    ("weight = 12abc", 10, "'12abc' is neither a number nor a date"),
    ("price = 1.2.3", 9, "'1.2.3' is neither a number nor a date"),
    ("title =! 'x'", 7, "'=!' is no comparison"),
    ("title # 'x'", 7, "'#' means nothing here"),
    ("title.x = 1", 1, "'title' of 'Item' holds text and leads nowhere"),
    ("list.items = null", 1, "'items' leads to many; use any items"),
    ("price contains 'a'", 1, "'price' holds exact numbers; 'contains' looks into text"),
    ("title contains 3", 16, "'contains' needs a text in quotes"),
    ("title in 'a'", 10, "expected '(' after 'in'"),
    ("title in ('a' 'b')", 15, "expected ',' or ')' instead of a text"),
    ("any things (done)", 5, "'Item' has no to-many relationship 'things'; there is none"),
    ("@id = 'x'", 7, "a record is named by its id, 32 hexadecimal digits in quotes"),
    ("@id < 'x'", 1, "@id compares only by = and != and in"),
    ("@nid = 'x'", 1, "'@nid' is not known"),
    ("@id contains 'x'", 1, "'@id' is no field: it stands alone in a condition, with =, != or in"),
    ("list.@id = 'x'", 1, "'@id' is no field"), ("title = .5", 9, "'.' means nothing here"),
    ("title = price", 9, "'price' holds exact numbers, 'title' text"),
    ("title = '\\q'", 10, "the escape '\\q' is not known"),
    ("and done", 1, "expected the name of a field instead of the keyword 'and'"),
    ("colour = 'x'", 10, "'colour' holds an encoded value; it compares only with null"),
  ])
  func `a mistake is named at its column`(text: String, column: Int, message: String) {
    let error = #expect(throws: ExpressionError.self) { try filter(text) }
    #expect(error?.column == column, "\(error?.description ?? "")")
    #expect(error?.message.hasPrefix(message) == true, "\(error?.message ?? "")")
  }

  @Test func `the place of a mistake is shown below the condition`() {
    let error = ExpressionError("'x' is wrong", at: 9)
    #expect(error.failure(of: "n = '漢' x").message == "--where, column 9: 'x' is wrong\n  n = '漢' x\n           ^")
  }

  /// It was repeated whole.
  @Test func `of a long condition what is around the mistake is shown, and a long name is cut`() throws {
    let text = String(repeating: "n = 1 and ", count: 1_000) + "n = '漢' x" + String(repeating: " and n = 1", count: 99)
    let lines = ExpressionError("'x' is wrong", at: 10_009).failure(of: text).message.split(separator: "\n")
    try #require(lines.count == 3)
    #expect(lines[0] == "--where, column 10009: 'x' is wrong")
    #expect(lines[1].hasPrefix("  …") && lines[1].hasSuffix("…") && lines[1].count < 130)
    let place = try #require(lines[1].firstIndex(of: "x"))
    #expect(DisplayText.width(lines[1][..<place]) == lines[2].count - 1)
    let name = String(repeating: "x", count: 5_000)
    let sentence = ExpressionError("no field '\(name)'; did you mean 'y'?", at: 1).failure(of: name).sentence
    #expect(sentence.count < 130 && sentence.hasSuffix("; did you mean 'y'?"))
  }

  @Test func `parentheses without end are refused before the stack is exhausted`() {
    let text = String(repeating: "(", count: 100_000)
    let error = #expect(throws: ExpressionError.self) { try ExpressionParser.parse(text) }
    #expect(error?.message == "more than 64 levels of parentheses")
  }
}
