import RecordStore
import TestSupport
import Testing

/// Parts of texts, by Swift's equality of characters, and for people.
struct TextMatchTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let text: String?
    let part: String
    /// The ways by which the part is found: `c`ontains, has`p`refix, has`s`uffix, for people `l`.
    let found: String
    var testDescription: String { "\(text?.debugDescription ?? "nil") and \(part.debugDescription)" }

    init(_ text: String?, _ part: String, _ found: String) { (self.text, self.part, self.found) = (text, part, found) }
  }

  private static let long = String(repeating: "long ", count: 200)

  static let rows: [Row] = [
    Row("Lviv", "Lviv", "cpsl"), Row("Lviv", "Lv", "cpl"), Row("Lviv", "iv", "csl"), Row("Lviv", "vi", "cl"),
    Row("Lviv", "lv", "l"), Row("Lviv", "IV", "l"), Row("Lviv", "x", ""), Row("Lviv", "Lviv!", ""),
    Row("Lviv", "", "cpsl"), Row("", "", "cpsl"), Row("", "a", ""), Row(nil, "", ""), Row(nil, "a", ""),
    Row("aaa", "aa", "cpsl"), Row("aba", "a", "cpsl"), Row("abab", "ba", "cl"), Row("a\0b", "\0", "cl"),
    Row("a\0b", "a", "cpl"), Row("item 10", "item 1", "cpl"),
    // Composed and decomposed characters are equal, and none is cut in two.
    Row("\u{E9}t\u{E9}", "e\u{301}", "cpsl"), Row("e\u{301}te\u{301}", "\u{E9}", "cpsl"), Row("e\u{301}", "e", "l"),
    Row("\u{E9}", "e", "l"), Row("e", "\u{E9}", "l"), Row("\u{C9}t\u{E9}", "\u{E9}t", "l"),
    Row("\u{1F468}\u{200D}\u{1F469}", "\u{1F468}", "l"), Row("\u{1F468}\u{1F469}", "\u{1F468}", "cpl"),
    // One character together, and two apart.
    Row("a\r\nb", "\r\n", "cl"), Row("a\r\nb", "\n", "l"), Row("a\nb", "\n", "cl"), Row("a\r\n", "\n", "l"),
    // Case of other scripts, and folds that change the length.
    Row("\u{407}жак", "\u{457}Ж", "l"), Row("\u{407}жак", "жак", "csl"), Row("Львів", "ЛЬВ", "l"),
    Row("stra\u{DF}e", "\u{DF}", "cl"), Row("日本", "本", "csl"),
    Row(long, "long long", "cpl"), Row(long, "long ", "cpsl"), Row(long, "g l", "cl"), Row(long + "end", "end", "csl"),
    Row(long, long + "x", ""),
  ]

  private func run(type: FieldType, isIndexed: Bool, prefix: String = "") throws {
    let schema = StoreSchema(entities: [
      EntityDefinition(
        name: "Text",
        attributes: [
          AttributeDefinition(name: "text", type: type, isOptional: true),
          AttributeDefinition(name: "number", type: .int),
        ], indexes: isIndexed ? [IndexDefinition("text")] : [])
    ])
    try withTemporaryStore(schema: schema) { store throws in
      let names = try FixtureNames(store)
      for (number, row) in Self.rows.enumerated() {
        let value: FieldValue = row.text.map { type == .url ? .url(prefix + $0) : .string(prefix + $0) } ?? .null
        try store.save(names.insert("Text", fixtureID(UInt64(number)), ["text": value]))
      }
      let text = FieldPath(names.ordinal("Text", "text"))
      for (number, row) in Self.rows.enumerated() {
        let ways: [(Character, RecordFilter)] = [
          ("c", .text(text, .contains, row.part)), ("p", .text(text, .hasPrefix, prefix + row.part)),
          ("s", .text(text, .hasSuffix, row.part)), ("l", .localizedContains(text, row.part)),
        ]
        for (way, filter) in ways {
          let own = RecordFilter.and([filter, .ids([fixtureID(UInt64(number))])])
          let found = try store.read { try $0.count(RecordQuery(entity: names.entity("Text"), filter: own)) == 1 }
          #expect(found == row.found.contains(way), "\(way): \(row.testDescription)")
          // And by whatever way there is without the id.
          let all = try store.read { try $0.identifiers(RecordQuery(entity: names.entity("Text"), filter: filter)) }
          #expect(all.contains(fixtureID(UInt64(number))) == found, "\(way): \(row.testDescription)")
        }
      }
    }
  }

  @Test(arguments: [false, true]) func `a part is found in its place`(isIndexed: Bool) throws {
    try run(type: .string, isIndexed: isIndexed)
  }

  /// Behind a beginning, so that nothing but what the rows say is in common.
  @Test(arguments: [false, true]) func `a part of an address is found as that of a text`(isIndexed: Bool) throws {
    try run(type: .url, isIndexed: isIndexed, prefix: "1:")
  }

  @Test func `only texts have parts`() throws {
    try withTemporaryStore { store throws in
      let names = try FixtureNames(store)
      for field in ["rating", "isFavorite", "price", "start"] {
        let path = FieldPath(names.ordinal("Trip", field))
        for filter in [RecordFilter.text(path, .contains, "a"), .localizedContains(path, "a")] {
          let error = #expect(throws: StoreError.self) {
            try store.read { try $0.count(RecordQuery(entity: names.entity("Trip"), filter: filter)) }
          }
          #expect(error?.code == .invalidRequest)
        }
      }
    }
  }
}
