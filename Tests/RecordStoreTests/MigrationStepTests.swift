import Foundation
import RecordStore
import TestSupport
import Testing

/// Every single step from one schema to another: what the report says of it, and what the records read then.
struct MigrationStepTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let title: String
    let old: [EntityDefinition]
    let new: [EntityDefinition]
    let steps: [MigrationStep]
    /// The records of ``MigrationStepTests/fill``, as they read afterwards.
    let shows: [String]
    var testDescription: String { title }
  }

  private static let name = AttributeDefinition(name: "name", type: .string)
  private static let mood = AttributeDefinition(name: "mood", type: .int, isOptional: true)
  private static let page = RelationshipDefinition(name: "page", destination: "Page", inverse: "lines")
  private static let lines = RelationshipDefinition(
    name: "lines", destination: "Line", isToMany: true, inverse: "page")

  /// The entities that every schema of the table has, changed by `edit`.
  private static func schema(_ edit: (inout EntityDefinition, inout EntityDefinition) -> Void = { _, _ in })
    -> [EntityDefinition]
  {
    var page = EntityDefinition(name: "Page", attributes: [name, mood], relationships: [lines])
    var line = EntityDefinition(name: "Line", attributes: [name], relationships: [self.page])
    edit(&page, &line)
    return [page, line]
  }

  /// Two pages, one without a mood, and a line of the first.
  private static func fill(_ store: RecordStore) throws {
    let script = try RuleScript(store)
    let save = "insert Page 1 name=a mood=5; insert Page 2 name=b; insert Line 3 name=c page=#1"
    _ = try store.commit(SaveRequest(changes: script.changes(save)))
  }

  private static let unchanged = ["Page 1 name=a mood=5 lines=#3", "Page 2 name=b", "Line 3 name=c page=#1"]

  /// A change of the first schema, and the report of it.
  private static func row(
    _ title: String, _ steps: [MigrationStep], shows: [String] = unchanged,
    _ edit: (inout EntityDefinition, inout EntityDefinition) -> Void
  ) -> Row {
    Row(title: title, old: schema(), new: schema(edit), steps: steps, shows: shows)
  }

  static let rows: [Row] = [
    row("nothing", []) { _, _ in },
    Row(
      title: "an entity comes", old: schema(), new: schema() + [EntityDefinition(name: "Tag", attributes: [name])],
      steps: [.addedEntity("Tag")], shows: unchanged),
    Row(
      title: "an entity goes", old: schema(), new: [EntityDefinition(name: "Page", attributes: [name, mood])],
      steps: [.removedProperty("Page.lines"), .removedEntity("Line")],
      shows: ["Page 1 name=a mood=5", "Page 2 name=b"]),
    row(
      "an entity is renamed", [.renamedEntity(from: "Line", to: "Row")],
      shows: ["Page 1 name=a mood=5 lines=#3", "Page 2 name=b", "Row 3 name=c page=#1"]
    ) { page, line in
      (line.name, line.originalName) = ("Row", "Line")
      page.relationships[0].destination = "Row"
    },
    row("an optional attribute comes", [.addedProperty("Page.size")]) { page, _ in
      page.attributes.append(AttributeDefinition(name: "size", type: .int, isOptional: true))
    },
    row("an attribute with a default comes", [.addedProperty("Page.size")]) { page, _ in
      page.attributes.append(AttributeDefinition(name: "size", type: .int, defaultValue: .int(7)))
    },
    row(
      "an attribute goes", [.removedProperty("Page.mood")],
      shows: ["Page 1 name=a lines=#3", "Page 2 name=b", "Line 3 name=c page=#1"]
    ) { page, _ in
      page.attributes.removeLast()
    },
    row(
      "an attribute is renamed", [.renamedProperty(from: "Page.mood", to: "Page.stars")],
      shows: ["Page 1 name=a stars=5 lines=#3", "Page 2 name=b", "Line 3 name=c page=#1"]
    ) { page, _ in
      (page.attributes[1].name, page.attributes[1].originalName) = ("stars", "mood")
    },
    row("an attribute becomes optional", [.madeOptional("Page.name")]) { page, _ in page.attributes[0].isOptional = true
    },
    row(
      "an attribute becomes required", [.madeRequired("Page.mood", filled: 1), .changedDefault("Page.mood")],
      shows: ["Page 1 name=a mood=5 lines=#3", "Page 2 name=b", "Line 3 name=c page=#1"]
    ) { page, _ in
      (page.attributes[1].isOptional, page.attributes[1].defaultValue) = (false, .int(4))
    },
    row("an index comes", [.addedIndex("Page(mood)")]) { page, _ in page.indexes = [IndexDefinition("mood")] },
    row("a compound index comes", [.addedIndex("Page(mood, name)")]) { page, _ in
      page.indexes = [IndexDefinition("mood", "name")]
    },
    Row(
      title: "an index goes", old: schema { page, _ in page.indexes = [IndexDefinition("mood")] }, new: schema(),
      steps: [.removedIndex("Page(mood)")], shows: unchanged),
    row("a value becomes unique", [.addedUniqueness("Page(name)")]) { page, _ in page.uniquenessConstraints = [["name"]]
    },
    Row(
      title: "a value need not be unique", old: schema { page, _ in page.uniquenessConstraints = [["name"]] },
      new: schema(), steps: [.removedUniqueness("Page(name)")], shows: unchanged),
    row("a to-one comes", [.addedProperty("Line.next")]) { _, line in
      line.relationships.append(RelationshipDefinition(name: "next", destination: "Line"))
    },
    row("a list comes", [.addedProperty("Page.notes")]) { page, _ in
      page.relationships.append(RelationshipDefinition(name: "notes", destination: "Line", isToMany: true))
    },
    Row(
      title: "a list goes",
      old: schema { page, _ in
        page.relationships.append(RelationshipDefinition(name: "notes", destination: "Line", isToMany: true))
      }, new: schema(), steps: [.removedProperty("Page.notes")], shows: unchanged),
    row(
      "a list is renamed", [.renamedProperty(from: "Page.lines", to: "Page.rows")],
      shows: ["Page 1 name=a mood=5 rows=#3", "Page 2 name=b", "Line 3 name=c page=#1"]
    ) { page, line in
      (page.relationships[0].name, page.relationships[0].originalName) = ("rows", "lines")
      line.relationships[0].inverse = "rows"
    },
    row("a delete rule changes", [.changedRelationship("Page.lines")]) { page, _ in
      page.relationships[0].deleteRule = .cascade
    },
    row("a bound changes", [.changedRelationship("Page.lines")]) { page, _ in page.relationships[0].maximumCount = 3 },
  ]

  private static func version(_ major: Int, _ entities: [EntityDefinition]) -> StoreSchema {
    StoreSchema(version: SchemaVersion(major, 0, 0), entities: entities)
  }

  @Test(arguments: rows) func `a step is foretold, done and reported, and leaves the records as told`(row: Row) throws {
    try withTemporaryStore(schema: Self.version(1, row.old)) { store throws in
      try Self.fill(store)
      let (before, records) = (try store.read { $0.catalogue }, try RuleScript(store).records(of: store))
      let preview = try store.migrationPreview(to: Self.version(2, row.new))
      #expect(preview.isDryRun && preview.steps == row.steps)
      #expect(try store.read { $0.catalogue } == before && RuleScript(store).records(of: store) == records)
      try store.migrate(to: Self.version(2, row.new))
      #expect(store.migrations.map(\.steps) == [row.steps])
      #expect(store.migrations.map(\.fromVersion) == [SchemaVersion(1, 0, 0)])
      #expect(store.migrations.map(\.toVersion) == [SchemaVersion(2, 0, 0)])
      #expect(try RuleScript(store).records(of: store) == row.shows)
    }
  }

  @Test(arguments: rows) func `a step is the same where a store is opened with the schema`(row: Row) throws {
    let temporary = try TemporaryStore(schema: Self.version(1, row.old))
    try Self.fill(temporary.store)
    let again = try RecordStore.open(temporary.configuration, schema: Self.version(2, row.new))
    #expect(again.migrations.map(\.steps) == [row.steps])
    #expect(try RuleScript(again).records(of: again) == row.shows)
    let third = try RecordStore.open(temporary.configuration, schema: Self.version(2, row.new))
    #expect(third.migrations.isEmpty)
    try expectSound(again)
  }

  /// What goes stays in the file: the way back shows it again.
  @Test(arguments: rows) func `a step and the step back leave the records as they were`(row: Row) throws {
    // The default that a missing value took is a value from then on.
    guard row.title != "an attribute becomes required" else { return }
    try withTemporaryStore(schema: Self.version(1, row.old)) { store throws in
      try Self.fill(store)
      let records = try RuleScript(store).records(of: store)
      try store.migrate(to: Self.version(2, row.new))
      var back = row.old
      for index in back.indices where row.new.contains(where: { $0.originalName == back[index].name }) {
        back[index].originalName = row.new.first { $0.originalName == back[index].name }?.name
      }
      for index in back.indices { back[index].takeNamesBack(from: row.new) }
      try store.migrate(to: Self.version(3, back))
      #expect(try RuleScript(store).records(of: store) == records)
    }
  }

  @Test func `each step says what it does in words`() {
    let id = fixtureID(1)
    let words: [(MigrationStep, String)] = [
      (.addedEntity("A"), "adds the entity A"),
      (.removedEntity("A"), "removes the entity A; its records stay in the file"),
      (.renamedEntity(from: "A", to: "B"), "renames the entity A to B"), (.addedProperty("A.a"), "adds A.a"),
      (.removedProperty("A.a"), "removes A.a; its values stay in the file"),
      (.renamedProperty(from: "A.a", to: "A.b"), "renames A.a to A.b"), (.madeOptional("A.a"), "makes A.a optional"),
      (.madeRequired("A.a", filled: 3), "makes A.a required; 3 objects take the default"),
      (.changedDefault("A.a"), "changes the default of A.a"),
      (.changedType("A.a", from: .int, to: .string), "changes the type of A.a from int to string"),
      (.changedRelationship("A.b"), "changes the rules of the relationship A.b"),
      (.addedIndex("A(a)"), "adds the index A(a)"), (.removedIndex("A(a)"), "removes the index A(a)"),
      (.addedUniqueness("A(a)"), "makes A(a) unique"), (.removedUniqueness("A(a)"), "makes A(a) not unique any more"),
      (
        .mergedRecords(entity: "A", kept: id, merged: [fixtureID(2)]),
        "makes 2 records of A one: \(id) takes in \(fixtureID(2))"
      ),
      (
        .customStage(from: SchemaVersion(1, 0, 0), to: SchemaVersion(2, 0, 0)),
        "runs the app's stage from 1.0.0 to 2.0.0"
      ),
    ]
    for (step, text) in words { #expect(step.description == text) }
  }

  @Test func `a report has a title, a line for each step and one for the copy`() {
    let report = MigrationReport(
      store: URL(fileURLWithPath: "/tmp/a.store"), fromVersion: SchemaVersion(1, 0, 0),
      toVersion: SchemaVersion(1, 2, 0),
      steps: [.addedEntity("A"), .madeOptional("B.b")])
    #expect(
      report.description
        == "migrated /tmp/a.store from 1.0.0 to 1.2.0\n  adds the entity A\n  makes B.b optional")
    #expect(!report.isEmpty)
    var dry = report
    (dry.isDryRun, dry.steps) = (true, [])
    #expect(dry.description == "would migrate /tmp/a.store from 1.0.0 to 1.2.0")
    #expect(!dry.isEmpty)
    dry.toVersion = dry.fromVersion
    #expect(dry.isEmpty)
  }
}

extension EntityDefinition {
  /// Names the properties that another schema has under other names by those.
  fileprivate mutating func takeNamesBack(from entities: [EntityDefinition]) {
    guard let other = entities.first(where: { $0.name == name || $0.name == originalName }) else { return }
    for index in attributes.indices {
      attributes[index].originalName = other.attributes.first { $0.originalName == attributes[index].name }?.name
    }
    for index in relationships.indices {
      relationships[index].originalName =
        other.relationships.first { $0.originalName == relationships[index].name }?.name
    }
  }
}
