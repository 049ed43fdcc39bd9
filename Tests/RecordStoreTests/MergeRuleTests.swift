import RecordStore
import TestSupport
import Testing

/// The tables of the article "How concurrent writes are merged", by two devices that have not seen each other's write.
struct MergeRuleTests {
  private static let trip = "insert Trip 1 name=a"

  static let oneRecord: [MergeCase] = [
    MergeCase(
      "insert, and insert of the same id", ["A: insert Trip 1 name=a rating=5", "B: insert Trip 1 name=b"],
      shows: ["Trip 1 name=b"]),
    MergeCase(
      "edits of two fields", before: [trip], ["A: update Trip 1 name=b", "B: update Trip 1 rating=5"],
      shows: ["Trip 1 name=b rating=5"]),
    MergeCase(
      "edits of one field", before: [trip], ["A: update Trip 1 rating=4", "B: update Trip 1 rating=5"],
      shows: ["Trip 1 name=a rating=5"]),
    MergeCase(
      "edits of one field, the other later", before: [trip],
      ["B: update Trip 1 rating=5", "A: update Trip 1 rating=4"], shows: ["Trip 1 name=a rating=4"]),
    MergeCase(
      "a value, and nil later", before: ["insert Trip 1 name=a price=5"],
      ["A: update Trip 1 price=7", "B: update Trip 1 price=nil"], shows: ["Trip 1 name=a"]),
    MergeCase(
      "nil, and a value later", before: ["insert Trip 1 name=a price=5"],
      ["A: update Trip 1 price=nil", "B: update Trip 1 price=7"], shows: ["Trip 1 name=a price=7"]),
    MergeCase(
      "equal edits", before: [trip], ["A: update Trip 1 rating=5", "B: update Trip 1 rating=5"],
      shows: ["Trip 1 name=a rating=5"]),
    MergeCase(
      "an earlier value written back is a write", before: [trip],
      ["A: update Trip 1 rating=5", "A: update Trip 1 rating=3", "B: update Trip 1 price=1"],
      shows: ["Trip 1 name=a price=1"]),
    MergeCase(
      "edits in one group", before: ["insert Note 1 x=1 y=1"], ["A: update Note 1 x=2", "B: update Note 1 y=3"],
      shows: ["Note 1 x=1.0 y=3.0"]),
    MergeCase(
      "an edit beside a group", before: ["insert Note 1 x=1 y=1"], ["A: update Note 1 x=2", "B: update Note 1 text=t"],
      shows: ["Note 1 text=t x=2.0 y=1.0"]),
    MergeCase("edit, and delete later", before: [trip], ["A: update Trip 1 rating=5", "B: delete Trip 1"], shows: []),
    MergeCase(
      "delete, and edit later", before: [trip], ["A: delete Trip 1", "B: update Trip 1 rating=5"],
      shows: ["Trip 1 name=a rating=5"]),
    MergeCase(
      "edit, and delete and insert later", before: ["insert Trip 1 name=a price=5"],
      ["A: update Trip 1 rating=5", "B: delete Trip 1; insert Trip 1 name=b"], shows: ["Trip 1 name=b"]),
    MergeCase(
      "delete and insert, and edit later", before: ["insert Trip 1 name=a price=5"],
      ["A: delete Trip 1; insert Trip 1 name=b", "B: update Trip 1 rating=5"], shows: ["Trip 1 name=b rating=5"]),
    MergeCase(
      "delete, and insert later", before: ["insert Trip 1 name=a price=5"],
      ["A: delete Trip 1", "B: insert Trip 1 name=b"], shows: ["Trip 1 name=b"]),
    MergeCase("delete, and delete", before: [trip], ["A: delete Trip 1", "B: delete Trip 1"], shows: []),
    MergeCase(
      "delete, and delete and insert later", before: [trip],
      ["A: delete Trip 1", "B: delete Trip 1; insert Trip 1 name=b"], shows: ["Trip 1 name=b"]),
    MergeCase(
      "delete and insert, and delete later", before: [trip],
      ["A: delete Trip 1; insert Trip 1 name=b", "B: delete Trip 1"], shows: []),
    MergeCase(
      "delete and insert on both", before: [trip],
      ["A: delete Trip 1; insert Trip 1 name=b rating=5", "B: delete Trip 1; insert Trip 1 name=c"],
      shows: ["Trip 1 name=c"]),
    MergeCase(
      "edit after a meeting counts as seen", before: [trip],
      ["A: update Trip 1 rating=4", "meet", "B: update Trip 1 rating=5", "A: update Trip 1 price=1"],
      shows: ["Trip 1 name=a price=1 rating=5"]),
    MergeCase(
      "delete after a meeting", before: [trip], ["A: update Trip 1 rating=4", "meet", "B: delete Trip 1"], shows: []),
  ]

  @Test(arguments: oneRecord) func `one record, changed on two devices`(row: MergeCase) throws { try row.run() }

  private static let stops =
    "insert Trip 1 name=a; insert Trip 2 name=b; insert Stop 3 trip=#1; insert Stop 4 trip=#1 position=1; "
    + "insert City 5 name=c"
  private static func stops(_ city: String = "City 5 name=c", _ lines: String...) -> [String] {
    ["Trip 1 name=a stops=#3,#4", "Trip 2 name=b"] + lines + [city]
  }

  static let below: [MergeCase] = [
    MergeCase(
      "an edit, and the delete above it later", before: [stops], ["A: update Stop 3 title=x", "B: delete Trip 1"],
      shows: ["Trip 2 name=b", "City 5 name=c"]),
    MergeCase(
      "the delete above, and an edit later", before: [stops], ["A: delete Trip 1", "B: update Stop 3 title=x"],
      shows: stops("City 5 name=c", "Stop 3 title=x trip=#1", "Stop 4 position=1 trip=#1")),
    MergeCase(
      "an insert, and the delete above it later", before: [stops],
      ["A: insert Stop 6 trip=#1 position=2", "B: delete Trip 1"], shows: ["Trip 2 name=b", "City 5 name=c"]),
    MergeCase(
      "the delete above, and an insert later", before: [trip], ["A: delete Trip 1", "B: insert Stop 6 trip=#1"],
      shows: ["Trip 1 name=a stops=#6", "Stop 6 trip=#1"]),
    MergeCase(
      "moved away, and the delete later", before: [stops], ["A: update Stop 3 trip=#2", "B: delete Trip 1"],
      shows: ["Trip 2 name=b stops=#3", "Stop 3 trip=#2", "City 5 name=c"]),
    MergeCase(
      "the delete, and moved away later", before: [stops], ["A: delete Trip 1", "B: update Stop 3 trip=#2"],
      shows: ["Trip 2 name=b stops=#3", "Stop 3 trip=#2", "City 5 name=c"]),
    MergeCase(
      "moved into, and the delete later", before: [stops], ["A: update Stop 3 trip=#2", "B: delete Trip 2"],
      shows: ["Trip 1 name=a stops=#4", "Stop 4 position=1 trip=#1", "City 5 name=c"]),
    MergeCase(
      "the delete, and moved into later", before: [stops], ["A: delete Trip 2", "B: update Stop 3 trip=#2"],
      shows: [
        "Trip 1 name=a stops=#4", "Trip 2 name=b stops=#3", "Stop 3 trip=#2", "Stop 4 position=1 trip=#1",
        "City 5 name=c",
      ]),
    MergeCase(
      "two moves", before: [stops, "insert Trip 6 name=d"], ["A: update Stop 3 trip=#2", "B: update Stop 3 trip=#6"],
      shows: [
        "Trip 1 name=a stops=#4", "Trip 2 name=b", "Trip 6 name=d stops=#3", "Stop 3 trip=#6",
        "Stop 4 position=1 trip=#1", "City 5 name=c",
      ]),
    MergeCase(
      "a reference, and the delete of its target", before: [stops], ["A: update Stop 3 next=#4", "B: delete Stop 4"],
      shows: ["Trip 1 name=a stops=#3", "Trip 2 name=b", "Stop 3 trip=#1", "City 5 name=c"]),
    MergeCase(
      "the delete of a target, and an edit of it later", before: [stops, "update Stop 3 next=#4"],
      ["A: delete Stop 4", "B: update Stop 4 title=x"],
      shows: stops("City 5 name=c", "Stop 3 trip=#1 next=#4", "Stop 4 title=x position=1 trip=#1 previous=#3")),
    MergeCase(
      "nil and the delete of a target, and an edit of it later", before: [stops, "update Stop 3 next=#4"],
      ["A: update Stop 3 next=nil; delete Stop 4", "B: update Stop 4 title=x"],
      shows: stops("City 5 name=c", "Stop 3 trip=#1", "Stop 4 title=x position=1 trip=#1")),
    MergeCase(
      "a reference under deny, and the delete later", before: [stops],
      ["A: update Stop 3 city=#5", "B: delete City 5"],
      shows: stops("City 5 name=c stops=#3", "Stop 3 trip=#1 city=#5", "Stop 4 position=1 trip=#1")),
    MergeCase(
      "the delete, and a reference under deny later", before: [stops],
      ["A: delete City 5", "B: update Stop 3 city=#5"],
      shows: stops("City 5 name=c stops=#3", "Stop 3 trip=#1 city=#5", "Stop 4 position=1 trip=#1")),
    MergeCase(
      "a reference under deny that goes again", before: [stops],
      ["A: delete City 5", "B: update Stop 3 city=#5", "meet", "A: update Stop 3 city=nil"],
      shows: ["Trip 1 name=a stops=#3,#4", "Trip 2 name=b", "Stop 3 trip=#1", "Stop 4 position=1 trip=#1"]),
    MergeCase(
      "a reference under deny of a record that goes", before: [stops],
      ["A: delete City 5", "B: update Stop 3 city=#5", "meet", "B: delete Trip 1"], shows: ["Trip 2 name=b"]),
    MergeCase(
      "an insert below what never was inserted here",
      ["A: insert Trip 1 name=a; insert Stop 3 trip=#1", "B: insert Trip 2 name=b"],
      shows: ["Trip 1 name=a stops=#3", "Trip 2 name=b", "Stop 3 trip=#1"]),
  ]

  @Test(arguments: below) func `a record and one below it, changed on two devices`(row: MergeCase) throws {
    try row.run()
  }

  private static let links = "insert Trip 1 name=a; insert Trip 2 name=b; insert Tag 3 name=x"
  private static let passes = "insert Trip 1 name=a; insert Trip 2 name=b; insert Pass 3; insert Pass 4"

  static let relationships: [MergeCase] = [
    MergeCase(
      "one link made twice", before: [links], ["A: link Trip 1 tags 3", "B: link Tag 3 trips 1"],
      shows: ["Trip 1 name=a tags=#3", "Trip 2 name=b", "Tag 3 name=x trips=#1"]),
    MergeCase(
      "two links of one record", before: [links], ["A: link Trip 1 tags 3", "B: link Trip 2 tags 3"],
      shows: ["Trip 1 name=a tags=#3", "Trip 2 name=b tags=#3", "Tag 3 name=x trips=#1,#2"]),
    MergeCase(
      "a link taken away, and made anew later", before: [links, "link Trip 1 tags 3"],
      ["A: unlink Trip 1 tags 3", "B: unlink Trip 1 tags 3; link Trip 1 tags 3"],
      shows: ["Trip 1 name=a tags=#3", "Trip 2 name=b", "Tag 3 name=x trips=#1"]),
    MergeCase(
      "a link made anew, and taken away later", before: [links, "link Trip 1 tags 3"],
      ["A: unlink Trip 1 tags 3; link Trip 1 tags 3", "B: unlink Trip 1 tags 3"],
      shows: ["Trip 1 name=a", "Trip 2 name=b", "Tag 3 name=x"]),
    MergeCase(
      "a link, and the delete of one side", before: [links], ["A: link Trip 1 tags 3", "B: delete Tag 3"],
      shows: ["Trip 1 name=a", "Trip 2 name=b"]),
    MergeCase(
      "a link shows with the record that comes back", before: [links],
      ["A: link Trip 1 tags 3", "B: delete Tag 3", "meet", "A: insert Tag 3 name=y"],
      shows: ["Trip 1 name=a tags=#3", "Trip 2 name=b", "Tag 3 name=y trips=#1"]),
    MergeCase(
      "one target taken twice", before: [passes], ["A: update Pass 3 trip=#1", "B: update Pass 4 trip=#1"],
      shows: ["Trip 1 name=a pass=#4", "Trip 2 name=b", "Pass 3", "Pass 4 trip=#1"]),
    MergeCase(
      "the winner lets go", before: [passes],
      ["A: update Pass 3 trip=#1", "B: update Pass 4 trip=#1", "meet", "B: update Pass 4 trip=nil"],
      shows: ["Trip 1 name=a pass=#3", "Trip 2 name=b", "Pass 3 trip=#1", "Pass 4"]),
    MergeCase(
      "the winner goes", before: [passes],
      ["A: update Pass 3 trip=#1", "B: update Pass 4 trip=#1", "meet", "A: delete Pass 4"],
      shows: ["Trip 1 name=a pass=#3", "Trip 2 name=b", "Pass 3 trip=#1"]),
    MergeCase(
      "one record given two targets", before: [passes], ["A: update Pass 3 trip=#1", "B: update Pass 3 trip=#2"],
      shows: ["Trip 1 name=a", "Trip 2 name=b pass=#3", "Pass 3 trip=#2", "Pass 4"]),
    MergeCase(
      "a target taken from its holder, and the holder deleted earlier", before: [passes, "update Pass 3 trip=#1"],
      ["A: delete Pass 3", "B: update Pass 4 trip=#1"],
      shows: ["Trip 1 name=a pass=#4", "Trip 2 name=b", "Pass 4 trip=#1"]),
    MergeCase(
      "a target taken from its holder, which has chosen another", before: [passes, "update Pass 3 trip=#1"],
      ["A: update Pass 3 trip=#2", "B: update Pass 4 trip=#1"],
      shows: ["Trip 1 name=a pass=#4", "Trip 2 name=b pass=#3", "Pass 3 trip=#2", "Pass 4 trip=#1"]),
  ]

  @Test(arguments: relationships) func `links and one-to-ones, made on two devices`(row: MergeCase) throws {
    try row.run()
  }

  static let unique: [MergeCase] = [
    MergeCase(
      "two inserts of one value", ["A: insert Trip 1 name=a rating=5", "B: insert Trip 2 name=a price=7"],
      shows: ["Trip 1 name=a price=7"]),
    MergeCase(
      "the smaller id names both", ["A: insert Trip 2 name=a", "B: insert Trip 1 name=a rating=5"],
      shows: ["Trip 1 name=a rating=5"]),
    MergeCase(
      "values written otherwise", ["A: insert Tag 1 name=\u{E9}", "B: insert Tag 2 name=e\u{301}"],
      shows: ["Tag 1 name=\u{E9}"]),
    MergeCase(
      "case tells values apart", ["A: insert Tag 1 name=a", "B: insert Tag 2 name=A"],
      shows: ["Tag 1 name=a", "Tag 2 name=A"]),
    MergeCase(
      "the records below both",
      ["A: insert Trip 1 name=a; insert Stop 3 trip=#1", "B: insert Trip 2 name=a; insert Stop 4 trip=#2 position=1"],
      shows: ["Trip 1 name=a stops=#3,#4", "Stop 3 trip=#1", "Stop 4 position=1 trip=#1"]),
    MergeCase(
      "their equal places are one, too",
      [
        "A: insert Trip 1 name=a; insert Stop 3 title=x trip=#1",
        "B: insert Trip 2 name=a; insert Stop 4 title=y trip=#2",
      ], shows: ["Trip 1 name=a stops=#3", "Stop 3 title=y trip=#1"]),
    MergeCase(
      "the links of both", before: [trip],
      [
        "A: insert Tag 3 name=x; link Trip 1 tags 3",
        "B: insert Trip 2 name=b; insert Tag 4 name=x; link Trip 2 tags 4",
      ], shows: ["Trip 1 name=a tags=#3", "Trip 2 name=b tags=#3", "Tag 3 name=x trips=#1,#2"]),
    MergeCase(
      "equal links of both are one", before: [trip],
      ["A: insert Tag 3 name=x; link Trip 1 tags 3", "B: insert Tag 4 name=x; link Trip 1 tags 4"],
      shows: ["Trip 1 name=a tags=#3", "Tag 3 name=x trips=#1"]),
    MergeCase(
      "a value given up before the other came is not shared", before: ["insert Tag 1 name=a"],
      ["A: update Tag 1 name=b", "B: update Tag 1 name=c", "A: insert Tag 2 name=a"],
      shows: ["Tag 1 name=c", "Tag 2 name=a"]),
    MergeCase(
      "an edit under either id reaches both",
      [
        "A: insert Trip 1 name=a", "B: insert Trip 2 name=a", "meet", "A: update Trip 2 rating=5",
        "B: update Trip 1 price=7",
      ], shows: ["Trip 1 name=a price=7 rating=5"]),
    MergeCase(
      "a delete takes both", ["A: insert Trip 1 name=a", "B: insert Trip 2 name=a", "meet", "B: delete Trip 2"],
      shows: []),
    MergeCase(
      "a delete, and an edit later",
      ["A: insert Trip 1 name=a", "B: insert Trip 2 name=a", "meet", "A: delete Trip 1", "B: update Trip 2 rating=5"],
      shows: ["Trip 1 name=a rating=5"]),
    MergeCase(
      "another value is another value of both",
      ["A: insert Tag 1 name=a", "B: insert Tag 2 name=a", "meet", "A: update Tag 2 name=b"], shows: ["Tag 1 name=b"]),
    MergeCase(
      "two updates to one value", before: ["insert Tag 1 name=a; insert Tag 2 name=b"],
      ["A: update Tag 1 name=c", "B: update Tag 2 name=c"], shows: ["Tag 1 name=c"]),
  ]

  @Test(arguments: unique) func `one unique value on two devices`(row: MergeCase) throws { try row.run() }
}

/// Rules that the shared schema does not declare.
struct DeclaredMergeRuleTests {
  /// A delete of a ticket is final, and so is that of what hangs on it; a folder may lie in a folder; a room requires
  /// its house, which lets it go.
  private static let schema = StoreSchema(entities: [
    EntityDefinition(
      name: "Ticket", attributes: [AttributeDefinition(name: "name", type: .string)],
      relationships: [
        RelationshipDefinition(
          name: "notes", destination: "Note", isToMany: true, deleteRule: .cascade, inverse: "ticket")
      ], deleteIsFinal: true),
    EntityDefinition(
      name: "Note", attributes: [AttributeDefinition(name: "text", type: .string)],
      relationships: [RelationshipDefinition(name: "ticket", destination: "Ticket", inverse: "notes")]),
    EntityDefinition(
      name: "Folder", attributes: [AttributeDefinition(name: "name", type: .string)],
      relationships: [
        RelationshipDefinition(name: "parent", destination: "Folder", inverse: "children"),
        RelationshipDefinition(
          name: "children", destination: "Folder", isToMany: true, deleteRule: .cascade, inverse: "parent"),
      ]),
    EntityDefinition(
      name: "House", attributes: [AttributeDefinition(name: "name", type: .string)],
      relationships: [RelationshipDefinition(name: "rooms", destination: "Room", isToMany: true, inverse: "house")]),
    EntityDefinition(
      name: "Room", attributes: [AttributeDefinition(name: "name", type: .string)],
      relationships: [
        RelationshipDefinition(name: "house", destination: "House", isOptional: false, inverse: "rooms")
      ]),
  ])

  static let final: [MergeCase] = [
    MergeCase(
      "delete, and edit later", before: ["insert Ticket 1 name=a"],
      ["A: delete Ticket 1", "B: update Ticket 1 name=b"], shows: []),
    MergeCase(
      "delete, and insert later", before: ["insert Ticket 1 name=a"],
      ["A: delete Ticket 1", "B: insert Ticket 1 name=b"], shows: []),
    MergeCase(
      "delete, and an insert below it later", before: ["insert Ticket 1 name=a"],
      ["A: delete Ticket 1", "B: insert Note 2 text=x ticket=#1"], shows: []),
    MergeCase(
      "delete, and moved away later",
      before: ["insert Ticket 1 name=a; insert Ticket 2 name=b; insert Note 3 ticket=#1"],
      ["A: delete Ticket 1", "B: update Note 3 ticket=#2"], shows: ["Ticket 2 name=b notes=#3", "Note 3 ticket=#2"]),
  ]

  @Test(arguments: final) func `a delete that is final wins over whatever comes later`(row: MergeCase) throws {
    try row.run(schema: Self.schema)
  }

  @Test func `a record that was deleted for good cannot be inserted again`() throws {
    try RuleCase("", ["insert Ticket 1 name=a", "delete Ticket 1", "insert Ticket 1 name=b"], refuses: .invalidRequest)
      .run(schema: Self.schema)
  }

  private static let folders = "insert Folder 1 name=a; insert Folder 2 name=b; insert Folder 3 name=c"

  static let circles: [MergeCase] = [
    MergeCase(
      "two into each other", before: [folders], ["A: update Folder 1 parent=#2", "B: update Folder 2 parent=#1"],
      shows: ["Folder 1 name=a parent=#2", "Folder 2 name=b children=#1", "Folder 3 name=c"]),
    MergeCase(
      "three in a circle", before: [folders, "update Folder 2 parent=#3"],
      ["A: update Folder 3 parent=#1", "B: update Folder 1 parent=#2"],
      shows: ["Folder 1 name=a children=#3", "Folder 2 name=b parent=#3", "Folder 3 name=c parent=#1 children=#2"]),
    MergeCase(
      "the circle is opened", before: [folders],
      ["A: update Folder 1 parent=#2", "B: update Folder 2 parent=#1", "meet", "A: update Folder 1 parent=#3"],
      shows: ["Folder 1 name=a parent=#3 children=#2", "Folder 2 name=b parent=#1", "Folder 3 name=c children=#1"]),
    MergeCase(
      "the one that counts is deleted", before: [folders],
      ["A: update Folder 1 parent=#2", "B: update Folder 2 parent=#1", "meet", "A: delete Folder 1"],
      shows: ["Folder 2 name=b", "Folder 3 name=c"]),
    MergeCase(
      "the one above is deleted", before: [folders],
      ["A: update Folder 1 parent=#2", "B: update Folder 2 parent=#1", "meet", "A: delete Folder 2"],
      shows: ["Folder 3 name=c"]),
  ]

  @Test(arguments: circles) func `of moves that close a circle the latest is void`(row: MergeCase) throws {
    try row.run(schema: Self.schema)
  }

  static let moves: [RuleCase] = [
    RuleCase("into itself", [folders, "update Folder 1 parent=#1"], refuses: .invalidRequest),
    RuleCase(
      "into its child", [folders, "update Folder 2 parent=#1", "update Folder 1 parent=#2"], refuses: .invalidRequest),
    RuleCase(
      "into its grandchild",
      [folders, "update Folder 2 parent=#1; update Folder 3 parent=#2", "update Folder 1 parent=#3"],
      refuses: .invalidRequest),
    RuleCase(
      "two at once", [folders, "update Folder 1 parent=#2; update Folder 2 parent=#1"], refuses: .invalidRequest),
    RuleCase(
      "the new record into its own child", [folders, "insert Folder 4 parent=#1; update Folder 1 parent=#4"],
      refuses: .invalidRequest),
    RuleCase(
      "turned round", [folders, "update Folder 2 parent=#1", "update Folder 1 parent=#2; update Folder 2 parent=nil"],
      shows: ["Folder 1 name=a parent=#2", "Folder 2 name=b children=#1", "Folder 3 name=c"]),
    RuleCase(
      "the tree goes with its root",
      [folders, "update Folder 2 parent=#1; update Folder 3 parent=#2", "delete Folder 1"], shows: []),
    RuleCase(
      "a branch is saved",
      [folders, "update Folder 2 parent=#1; update Folder 3 parent=#2", "update Folder 3 parent=nil; delete Folder 1"],
      shows: ["Folder 3 name=c"]),
  ]

  @Test(arguments: moves) func `no save puts a record below itself`(row: RuleCase) throws {
    try row.run(schema: Self.schema)
  }

  private static let house = "insert House 1 name=a; insert House 2 name=b; insert Room 3 house=#1"

  static let required: [MergeCase] = [
    MergeCase(
      "an edit, and the delete above it later", before: [house], ["A: update Room 3 name=x", "B: delete House 1"],
      shows: ["House 2 name=b"]),
    MergeCase(
      "the delete above, and an edit later", before: [house], ["A: delete House 1", "B: update Room 3 name=x"],
      shows: ["House 2 name=b"]),
    MergeCase(
      "the delete above, and an insert later", before: [house], ["A: delete House 1", "B: insert Room 4 house=#1"],
      shows: ["House 2 name=b"]),
    MergeCase(
      "the delete above, and moved away later", before: [house], ["A: delete House 1", "B: update Room 3 house=#2"],
      shows: ["House 2 name=b rooms=#3", "Room 3 house=#2"]),
    MergeCase(
      "the delete above, and an edit of it later", before: [house], ["A: delete House 1", "B: update House 1 name=x"],
      shows: ["House 1 name=x rooms=#3", "House 2 name=b", "Room 3 house=#1"]),
  ]

  @Test(arguments: required) func `below a rule of nullify, what requires its target waits unseen`(row: MergeCase)
    throws
  {
    try row.run(schema: Self.schema)
  }
}
