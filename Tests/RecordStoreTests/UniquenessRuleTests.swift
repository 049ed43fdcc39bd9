import RecordStore
import TestSupport
import Testing

/// What a save does with a unique value that another record has, or had.
struct UniquenessRuleTests {
  /// Items with a code of their own, and a place of their own in their group.
  private static let items = StoreSchema(entities: [
    EntityDefinition(
      name: "Item",
      attributes: [
        AttributeDefinition(name: "code", type: .string, isOptional: true),
        AttributeDefinition(name: "group", type: .int, isOptional: true),
        AttributeDefinition(name: "place", type: .int, isOptional: true),
        AttributeDefinition(name: "text", type: .string, isOptional: true),
      ],
      uniquenessConstraints: [["code"], ["group", "place"]])
  ])

  /// Whatever the policy is.
  static let both: [RuleCase] = [
    RuleCase(
      "different values", ["insert Trip 1 name=a", "insert Trip 2 name=b"], shows: ["Trip 1 name=a", "Trip 2 name=b"]),
    RuleCase(
      "case tells values apart", ["insert Tag 1 name=a; insert Tag 2 name=A"], shows: ["Tag 1 name=a", "Tag 2 name=A"]),
    RuleCase(
      "values of another entity", ["insert Trip 1 name=a; insert Tag 2 name=a"],
      shows: ["Trip 1 name=a", "Tag 2 name=a"]),
    RuleCase(
      "the value of a deleted record is free", ["insert Tag 1 name=a", "delete Tag 1", "insert Tag 2 name=a"],
      shows: ["Tag 2 name=a"]),
    RuleCase(
      "a value is free once its holder is deleted in the save",
      ["insert Tag 1 name=a", "delete Tag 1; insert Tag 2 name=a"],
      shows: ["Tag 2 name=a"]),
    RuleCase(
      "a value that was given up is free", ["insert Tag 1 name=a", "update Tag 1 name=b", "insert Tag 2 name=a"],
      shows: ["Tag 1 name=b", "Tag 2 name=a"]),
    RuleCase(
      "a value that the save gives up is free", ["insert Tag 1 name=a", "update Tag 1 name=b; insert Tag 2 name=a"],
      shows: ["Tag 1 name=b", "Tag 2 name=a"]),
    RuleCase(
      "two records swap", ["insert Tag 1 name=a; insert Tag 2 name=b", "update Tag 1 name=b; update Tag 2 name=a"],
      shows: ["Tag 1 name=b", "Tag 2 name=a"]),
    RuleCase(
      "three records pass their values on",
      [
        "insert Tag 1 name=a; insert Tag 2 name=b; insert Tag 3 name=c",
        "update Tag 1 name=b; update Tag 2 name=c; update Tag 3 name=a",
      ], shows: ["Tag 1 name=b", "Tag 2 name=c", "Tag 3 name=a"]),
    RuleCase(
      "an update takes the value of a record that the save deletes",
      ["insert Tag 1 name=a; insert Tag 2 name=b", "update Tag 2 name=a; delete Tag 1"], shows: ["Tag 2 name=a"]),
    RuleCase(
      "an update to a taken value", ["insert Tag 1 name=a; insert Tag 2 name=b", "update Tag 2 name=a"],
      refuses: .uniquenessViolation),
    RuleCase(
      "an update to a value written otherwise",
      ["insert Tag 1 name=\u{E9}; insert Tag 2 name=b", "update Tag 2 name=e\u{301}"],
      refuses: .uniquenessViolation),
    RuleCase(
      "two updates to one value",
      ["insert Tag 1 name=a; insert Tag 2 name=b", "update Tag 1 name=c; update Tag 2 name=c"],
      refuses: .uniquenessViolation),
    RuleCase(
      "one place in two trips",
      [
        "insert Trip 1 name=a; insert Trip 2 name=b; insert Stop 3 trip=#1 position=7; insert Stop 4 trip=#2 position=7"
      ],
      shows: [
        "Trip 1 name=a stops=#3", "Trip 2 name=b stops=#4", "Stop 3 position=7 trip=#1", "Stop 4 position=7 trip=#2",
      ]),
    RuleCase(
      "a move to a taken place",
      [
        "insert Trip 1 name=a; insert Trip 2 name=b",
        "insert Stop 3 trip=#1 position=7; insert Stop 4 trip=#2 position=7",
        "update Stop 4 trip=#1",
      ], refuses: .uniquenessViolation),
    RuleCase(
      "a move to a place that was deleted with its trip",
      [
        "insert Trip 1 name=a; insert Trip 2 name=b",
        "insert Stop 3 trip=#1 position=7; insert Stop 4 trip=#2 position=8",
        "delete Trip 1", "update Stop 4 position=7",
      ], shows: ["Trip 2 name=b stops=#4", "Stop 4 position=7 trip=#2"]),
  ]

  @Test(arguments: both, [UniquenessPolicy.upsert, .throw])
  func `a value belongs to one record at the end of a save`(row: RuleCase, policy: UniquenessPolicy) throws {
    try row.run(uniqueness: policy)
  }

  static let upserts: [RuleCase] = [
    RuleCase(
      "only what was given is written",
      ["insert Trip 1 name=a rating=1", "insert Trip 2 name=a isFavorite=true"],
      shows: ["Trip 1 name=a isFavorite=true rating=1"]),
    RuleCase(
      "a default that was given is written", ["insert Trip 1 name=a rating=1", "insert Trip 2 name=a rating=3"],
      shows: ["Trip 1 name=a"]),
    RuleCase(
      "a nil that was given is written", ["insert Trip 1 name=a price=5", "insert Trip 2 name=a price=nil"],
      shows: ["Trip 1 name=a"]),
    RuleCase(
      "twice within one save",
      ["insert Trip 1 name=a rating=1; insert Trip 2 name=a price=5; insert Trip 3 name=a rating=4"],
      shows: ["Trip 1 name=a price=5 rating=4"]),
    RuleCase(
      "later changes of the save follow", ["insert Trip 1 name=a", "insert Trip 2 name=a; update Trip 2 rating=5"],
      shows: ["Trip 1 name=a rating=5"]),
    RuleCase(
      "later references of the save follow", ["insert Trip 1 name=a", "insert Trip 2 name=a; insert Stop 3 trip=#2"],
      shows: ["Trip 1 name=a stops=#3", "Stop 3 trip=#1"]),
    RuleCase(
      "later links of the save follow, from both sides",
      [
        "insert Trip 1 name=a; insert Tag 5 name=x; insert Tag 6 name=y",
        "insert Trip 2 name=a; link Trip 2 tags 5; link Tag 6 trips 2",
      ], shows: ["Trip 1 name=a tags=#5,#6", "Tag 5 name=x trips=#1", "Tag 6 name=y trips=#1"]),
    RuleCase(
      "a later delete of the save follows", ["insert Trip 1 name=a", "insert Trip 2 name=a; delete Trip 2"], shows: []),
    RuleCase(
      "the holder is deleted afterwards", ["insert Trip 1 name=a", "insert Trip 2 name=a; delete Trip 1"], shows: []),
    RuleCase(
      "the holder takes the spelling", ["insert Tag 1 name=\u{E9}", "insert Tag 2 name=e\u{301}"],
      shows: ["Tag 1 name=e\u{301}"]),
    RuleCase(
      "a compound value",
      ["insert Trip 1 name=a; insert Stop 3 trip=#1 position=7", "insert Stop 4 title=new trip=#1 position=7"],
      shows: ["Trip 1 name=a stops=#3", "Stop 3 title=new position=7 trip=#1"]),
    RuleCase(
      "a compound value under another name of its trip",
      [
        "insert Trip 1 name=a; insert Stop 3 trip=#1 position=7",
        "insert Trip 2 name=a; insert Stop 4 title=new trip=#2 position=7",
      ], shows: ["Trip 1 name=a stops=#3", "Stop 3 title=new position=7 trip=#1"]),
    RuleCase(
      "a value that came within the save", ["insert Tag 1 name=a", "update Tag 1 name=b; insert Tag 2 name=b"],
      shows: ["Tag 1 name=b"]),
    RuleCase(
      "two records that the save made equal in passing",
      ["insert Tag 1 name=a; insert Tag 2 name=b", "update Tag 1 name=b; update Tag 1 name=c; insert Tag 3 name=c"],
      shows: ["Tag 1 name=c", "Tag 2 name=b"]),
  ]

  @Test(arguments: upserts) func `an insert with a taken value is an update of its holder`(row: RuleCase) throws {
    try row.run()
  }

  static let refusals: [RuleCase] = [
    RuleCase("a taken value", ["insert Tag 1 name=a", "insert Tag 2 name=a"], refuses: .uniquenessViolation),
    RuleCase(
      "among others", ["insert Tag 1 name=a", "insert Tag 2 name=b; insert Tag 3 name=a"], refuses: .uniquenessViolation
    ),
    RuleCase(
      "twice within one save", ["insert Tag 1 name=x", "insert Tag 2 name=a; insert Tag 3 name=a"],
      refuses: .uniquenessViolation),
    RuleCase(
      "a compound value",
      ["insert Trip 1 name=a; insert Stop 3 trip=#1 position=7", "insert Stop 4 trip=#1 position=7"],
      refuses: .uniquenessViolation),
    RuleCase(
      "written otherwise", ["insert Tag 1 name=\u{E9}", "insert Tag 2 name=e\u{301}"], refuses: .uniquenessViolation),
  ]

  @Test(arguments: refusals) func `where saves throw, an insert with a taken value is refused`(row: RuleCase) throws {
    try row.run(uniqueness: .throw)
  }

  static let nulls: [RuleCase] = [
    RuleCase("nil is nobody's", ["insert Item 1; insert Item 2"], shows: ["Item 1", "Item 2"]),
    RuleCase(
      "a key with one nil is nobody's", ["insert Item 1 group=1; insert Item 2 group=1"],
      shows: ["Item 1 group=1", "Item 2 group=1"]),
    RuleCase(
      "an update to nil gives the value up",
      ["insert Item 1 code=a", "update Item 1 code=nil", "insert Item 2 code=a"],
      shows: ["Item 1", "Item 2 code=a"]),
    RuleCase(
      "the last part of a key makes it whole",
      ["insert Item 1 group=1 place=1; insert Item 2 group=1", "update Item 2 place=1"], refuses: .uniquenessViolation),
    RuleCase(
      "one key of two", ["insert Item 1 code=a group=1 place=1", "insert Item 2 code=a text=new"],
      shows: ["Item 1 code=a group=1 place=1 text=new"]),
    RuleCase(
      "two keys of one holder",
      ["insert Item 1 code=a group=1 place=1", "insert Item 2 code=a group=1 place=1 text=new"],
      shows: ["Item 1 code=a group=1 place=1 text=new"]),
    RuleCase(
      "two keys of two holders",
      ["insert Item 1 code=a; insert Item 2 group=1 place=1", "insert Item 3 code=a group=1 place=1"],
      refuses: .uniquenessViolation),
    RuleCase(
      "the other key of the holder moves along",
      ["insert Item 1 code=a group=1 place=1", "insert Item 2 code=a place=2", "insert Item 3 group=1 place=1"],
      shows: ["Item 1 code=a group=1 place=2", "Item 3 group=1 place=1"]),
  ]

  @Test(arguments: nulls) func `a key with a nil holds nothing, and each of several keys holds`(row: RuleCase) throws {
    try row.run(schema: Self.items)
  }
}
