import RecordStore
import TestSupport
import Testing

/// Relationships whose links lie elsewhere in the next schema: the side that stores a one-to-one, the hidden reference
/// of a to-many without inverse, the join of a many-to-many.
///
/// Where they lie follows from the declaration of both sides, so a change of one side moved the place, and the links
/// were left behind, unseen: an inverse that was added, a delete rule of a one-to-one, a to-one that became a to-many.
struct MovedLinksTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let title: String
    let old: [EntityDefinition]
    let new: [EntityDefinition]
    let save: String
    /// The links afterwards, and those before.
    let shows: [String]
    let before: [String]
    var testDescription: String { title }

    init(
      _ title: String, _ old: [EntityDefinition], _ new: [EntityDefinition], _ save: String, before: [String],
      shows: [String]
    ) {
      (self.title, self.old, self.new, self.save, self.before, self.shows) = (title, old, new, save, before, shows)
    }
  }

  private static let name = AttributeDefinition(name: "name", type: .string)

  private static func entity(
    _ name: String, from originalName: String? = nil, _ relationships: RelationshipDefinition...
  ) -> EntityDefinition {
    EntityDefinition(
      name: name, originalName: originalName, attributes: [self.name], relationships: relationships)
  }

  private static func one(
    _ name: String, _ destination: String, _ inverse: String? = nil, _ rule: DeleteRule = .nullify
  ) -> RelationshipDefinition {
    RelationshipDefinition(name: name, destination: destination, deleteRule: rule, inverse: inverse)
  }

  private static func many(
    _ name: String, _ destination: String, _ inverse: String? = nil
  ) -> RelationshipDefinition {
    RelationshipDefinition(name: name, destination: destination, isToMany: true, inverse: inverse)
  }

  private static let records =
    "insert Page 1 name=a; insert Page 2 name=b; insert Line 3 name=c; insert Line 4 name=d; insert Line 5 name=e"

  static let rows: [Row] = [
    Row(
      "a to-many gets an inverse",
      [entity("Page", many("lines", "Line")), entity("Line")],
      [entity("Page", many("lines", "Line", "page")), entity("Line", one("page", "Page", "lines"))],
      "update Line 3 ~Page.lines=#1; update Line 4 ~Page.lines=#1",
      before: ["Page 1 lines=#3,#4", "Page 2 lines="],
      shows: ["Page 1 lines=#3,#4", "Page 2 lines=", "Line 3 page=#1", "Line 4 page=#1", "Line 5 page="]),
    Row(
      "a to-many loses its inverse",
      [entity("Page", many("lines", "Line", "page")), entity("Line", one("page", "Page", "lines"))],
      [entity("Page", many("lines", "Line")), entity("Line")],
      "update Line 3 page=#1; update Line 4 page=#1",
      before: ["Page 1 lines=#3,#4", "Line 4 page=#1"], shows: ["Page 1 lines=#3,#4", "Page 2 lines="]),
    Row(
      "a to-one becomes a to-many",
      [entity("Page", one("lines", "Line")), entity("Line")], [entity("Page", many("lines", "Line")), entity("Line")],
      "update Page 1 lines=#3; update Page 2 lines=#4",
      before: ["Page 1 lines=#3", "Page 2 lines=#4"], shows: ["Page 1 lines=#3", "Page 2 lines=#4"]),
    Row(
      "a to-many becomes a to-one",
      [entity("Page", many("lines", "Line")), entity("Line")], [entity("Page", one("lines", "Line")), entity("Line")],
      "update Line 3 ~Page.lines=#1; update Line 4 ~Page.lines=#2",
      before: ["Page 1 lines=#3", "Page 2 lines=#4"], shows: ["Page 1 lines=#3", "Page 2 lines=#4"]),
    Row(
      "a one-to-many becomes a many-to-many",
      [entity("Page", many("lines", "Line", "page")), entity("Line", one("page", "Page", "lines"))],
      [entity("Page", many("lines", "Line", "page")), entity("Line", many("page", "Page", "lines"))],
      "update Line 3 page=#1; update Line 4 page=#1; update Line 5 page=#2",
      before: ["Page 1 lines=#3,#4", "Page 2 lines=#5"],
      shows: ["Page 1 lines=#3,#4", "Page 2 lines=#5", "Line 3 page=#1", "Line 5 page=#2"]),
    Row(
      "a many-to-many becomes a one-to-many",
      [entity("Page", many("lines", "Line", "page")), entity("Line", many("page", "Page", "lines"))],
      [entity("Page", many("lines", "Line", "page")), entity("Line", one("page", "Page", "lines"))],
      "link Page 1 lines 3; link Page 1 lines 4; link Line 5 page 2",
      before: ["Page 1 lines=#3,#4", "Line 5 page=#2"],
      shows: ["Page 1 lines=#3,#4", "Page 2 lines=#5", "Line 3 page=#1", "Line 5 page=#2"]),
    Row(
      "a one-to-one becomes a one-to-many",
      [entity("Page", one("lines", "Line", "page")), entity("Line", one("page", "Page", "lines", .cascade))],
      [entity("Page", many("lines", "Line", "page")), entity("Line", one("page", "Page", "lines"))],
      "update Page 1 lines=#3; update Page 2 lines=#4",
      before: ["Page 1 lines=#3", "Line 4 page=#2"], shows: ["Page 1 lines=#3", "Page 2 lines=#4", "Line 3 page=#1"]),
    Row(
      "a one-to-one cascades from the other side",
      [entity("Page", one("line", "Line", "page")), entity("Line", one("page", "Page", "line"))],
      [entity("Page", one("line", "Line", "page")), entity("Line", one("page", "Page", "line", .cascade))],
      "update Line 3 page=#1; update Line 4 page=#2",
      before: ["Page 1 line=#3", "Line 4 page=#2"],
      shows: ["Page 1 line=#3", "Page 2 line=#4", "Line 3 page=#1", "Line 4 page=#2"]),
    Row(
      "a to-one gets an inverse, whose side stores it",
      [entity("Page", one("line", "Line")), entity("Line")],
      [entity("Page", one("line", "Line", "page")), entity("Line", one("page", "Page", "line"))],
      "update Page 1 line=#3; update Page 2 line=#4",
      before: ["Page 1 line=#3", "Page 2 line=#4"],
      shows: ["Page 1 line=#3", "Page 2 line=#4", "Line 3 page=#1", "Line 4 page=#2"]),
    Row(
      "an entity with a one-to-one takes a name that comes later",
      [entity("Line", one("page", "Page", "line")), entity("Page", one("line", "Line", "page"))],
      [entity("Row", from: "Line", one("page", "Page", "line")), entity("Page", one("line", "Row", "page"))],
      "update Line 3 page=#1; update Line 4 page=#2",
      before: ["Page 1 line=#3", "Line 4 page=#2"],
      shows: ["Page 1 line=#3", "Page 2 line=#4", "Row 3 page=#1", "Row 4 page=#2"]),
  ]

  private func schema(_ version: Int, _ entities: [EntityDefinition]) -> StoreSchema {
    StoreSchema(version: SchemaVersion(version, 0, 0), entities: entities)
  }

  private func fill(_ store: RecordStore, _ row: Row) throws {
    _ = try store.commit(SaveRequest(changes: try RuleScript(store).changes(Self.records)))
    _ = try store.commit(SaveRequest(changes: try RuleScript(store).changes(row.save)))
  }

  private func expect(
    _ lines: [String], of store: RecordStore, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    for line in lines {
      let words = line.split(separator: " ")
      let parts = words[2].split(separator: "=", omittingEmptySubsequences: false)
      let number = try #require(UInt64(words[1]))
      let related = try store.related(String(words[0]), fixtureID(number), String(parts[0]))
      let found = related.map { "#\($0.low)" }.joined(separator: ",")
      #expect(found == parts[1], "\(line)", sourceLocation: sourceLocation)
    }
  }

  /// The second schema has a new version, or the same: then what it leaves out stays declared.
  @Test(arguments: rows, [1, 2]) func `links stay where their place changes`(row: Row, version: Int) throws {
    try withTemporaryStore(schema: schema(1, row.old)) { store throws in
      try fill(store, row)
      try expect(row.before, of: store)
      try store.migrate(to: schema(version, row.new))
      try expect(row.shows, of: store)
      let generation = try store.read { $0.catalogue.generation }
      try store.migrate(to: schema(version, row.new))
      #expect(try store.read { $0.catalogue.generation } == generation)
    }
  }

  @Test(arguments: rows) func `links stay on the way there and back`(row: Row) throws {
    var old = row.old
    for index in old.indices where row.new.contains(where: { $0.originalName == old[index].name }) {
      old[index].originalName = row.new.first { $0.originalName == old[index].name }?.name
    }
    try withTemporaryStore(schema: schema(1, row.old)) { store throws in
      try fill(store, row)
      try store.migrate(to: schema(2, row.new))
      try store.migrate(to: schema(3, old))
      try expect(row.before, of: store)
    }
  }

  static let changed: [(title: String, there: String, back: [String], again: String, forth: [String])] = [
    (
      "a to-many gets an inverse", "update Line 3 page=#2; update Line 4 page=nil",
      ["Page 1 lines=", "Page 2 lines=#3"], "update Line 4 ~Page.lines=#2", ["Page 1 lines=", "Page 2 lines=#3,#4"]
    ),
    (
      "a one-to-many becomes a many-to-many", "unlink Page 1 lines 3; link Page 2 lines 3",
      ["Page 1 lines=#4", "Page 2 lines=#3,#5", "Line 3 page=#2"], "update Line 3 page=nil",
      ["Page 1 lines=#4", "Page 2 lines=#5", "Line 3 page="]
    ),
  ]

  /// Both places hold links then: what was written last counts.
  @Test(arguments: changed) func `links that change meanwhile are as they were changed`(
    title: String, there: String, back: [String], again: String, forth: [String]
  ) throws {
    let row = try #require(Self.rows.first { $0.title == title })
    try withTemporaryStore(schema: schema(1, row.old)) { store throws in
      func save(_ script: String) throws {
        _ = try store.commit(SaveRequest(changes: try RuleScript(store).changes(script)))
      }
      try fill(store, row)
      try store.migrate(to: schema(2, row.new))
      try save(there)
      try store.migrate(to: schema(3, row.old))
      try expect(back, of: store)
      try save(again)
      try store.migrate(to: schema(4, row.new))
      try expect(forth, of: store)
    }
  }

  @Test func `a name that was given away begins without links`() throws {
    let old = [Self.entity("Page", Self.many("lines", "Line")), Self.entity("Line")]
    func rows(_ destination: String = "Page", inverse: String? = nil) -> RelationshipDefinition {
      RelationshipDefinition(
        name: "rows", originalName: "lines", destination: destination, isToMany: true, inverse: inverse)
    }
    let new = [Self.entity("Page", rows("Line"), Self.many("lines", "Line")), Self.entity("Line")]
    for isNew in [false, true] {
      try withTemporaryStore(schema: schema(1, isNew ? new : old)) { store throws in
        _ = try store.commit(SaveRequest(changes: try RuleScript(store).changes(Self.records)))
        _ = try store.commit(SaveRequest(changes: try RuleScript(store).changes("update Line 3 ~Page.lines=#1")))
        try store.migrate(to: schema(2, new))
        try expect(["Page 1 rows=#3", "Page 1 lines="], of: store)
      }
    }
    let both = [Self.entity("Line", rows(inverse: "a"), Self.many("lines", "Page", "b"))]
    let pages = [Self.entity("Page", Self.many("a", "Line", "rows"), Self.many("b", "Line", "lines"))]
    try withTemporaryStore(schema: schema(1, both + pages)) { store throws in
      _ = try store.commit(SaveRequest(changes: try RuleScript(store).changes(Self.records)))
      _ = try store.commit(SaveRequest(changes: try RuleScript(store).changes("link Line 3 rows 1")))
      try expect(["Line 3 rows=#1", "Line 3 lines=", "Page 1 a=#3", "Page 1 b="], of: store)
    }
  }

  @Test func `links that the next schema has no room for make it refuse`() throws {
    for title in ["a to-many becomes a to-one", "a many-to-many becomes a one-to-many"] {
      let row = try #require(Self.rows.first { $0.title == title })
      try withTemporaryStore(schema: schema(1, row.old)) { store throws in
        try fill(store, row)
        let more = title.hasPrefix("a to-many") ? "update Line 5 ~Page.lines=#1" : "link Page 2 lines 3"
        _ = try store.commit(SaveRequest(changes: try RuleScript(store).changes(more)))
        let records = try RuleScript(store).records(of: store)
        let error = #expect(throws: StoreError.self) { try store.migrate(to: schema(2, row.new)) }
        #expect(error?.code == .incompatibleSchema)
        #expect(try RuleScript(store).records(of: store) == records)
      }
    }
  }

  /// The page is gone, and the new rule would take the line along that it left behind.
  @Test func `the links of a record whose target is gone move with it under a new rule of cascade`() throws {
    let old = schema(
      1,
      [
        Self.entity("Page", Self.many("lines", "Line", "page")), Self.entity("Tag", Self.many("lines", "Line", "tag")),
        Self.entity("Line", Self.one("page", "Page", "lines"), Self.one("tag", "Tag", "lines")),
      ])
    let lines = RelationshipDefinition(
      name: "lines", destination: "Line", isToMany: true, deleteRule: .cascade, inverse: "page")
    let new = schema(
      2,
      [
        Self.entity("Page", lines), Self.entity("Tag", Self.many("lines", "Line", "tag")),
        Self.entity("Line", Self.one("page", "Page", "lines"), Self.many("tag", "Tag", "lines")),
      ])
    try withTemporaryStore(schema: old) { store throws in
      let script = try RuleScript(store)
      for text in [
        "insert Page 1 name=a; insert Tag 2 name=b; insert Line 3 name=c; insert Line 4 name=d",
        "update Line 3 page=#1; update Line 3 tag=#2; update Line 4 tag=#2", "delete Page 1",
      ] {
        _ = try store.commit(SaveRequest(changes: script.changes(text)))
      }
      try store.migrate(to: new)
      try expect(["Line 3 page=", "Line 3 tag=#2", "Line 4 tag=#2"], of: store)
      try expectSound(store)
    }
  }
}
