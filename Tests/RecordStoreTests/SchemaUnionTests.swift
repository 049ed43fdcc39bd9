import RecordStore
import TestSupport
import Testing

/// Processes that open one store under one version with different classes: an app, its widget, last month's widget.
struct SchemaUnionTests {
  private func schema(_ entities: [EntityDefinition], version: Int = 1) -> StoreSchema {
    StoreSchema(version: SchemaVersion(version, 0, 0), entities: entities)
  }

  private let page = EntityDefinition(
    name: "Page",
    attributes: [
      AttributeDefinition(name: "title", type: .string),
      AttributeDefinition(name: "mood", type: .int, isOptional: true),
      AttributeDefinition(name: "stars", type: .int, defaultValue: .int(3)),
    ],
    relationships: [
      RelationshipDefinition(
        name: "lines", destination: "Line", isToMany: true, deleteRule: .cascade, inverse: "page"),
      RelationshipDefinition(name: "tags", destination: "Tag", isToMany: true, inverse: "pages"),
    ],
    indexes: [IndexDefinition("title"), IndexDefinition("mood", "title")], fieldGroups: [["mood", "stars"]])
  private let line = EntityDefinition(
    name: "Line", attributes: [AttributeDefinition(name: "text", type: .string)],
    relationships: [RelationshipDefinition(name: "page", destination: "Page", inverse: "lines")])
  private let tag = EntityDefinition(
    name: "Tag", attributes: [AttributeDefinition(name: "name", type: .string)],
    relationships: [RelationshipDefinition(name: "pages", destination: "Page", isToMany: true, inverse: "tags")],
    uniquenessConstraints: [["name"]])
  /// Marks pages, unknown to them.
  private let marker = EntityDefinition(
    name: "Marker",
    relationships: [RelationshipDefinition(name: "marked", destination: "Page", isToMany: true)])
  private let stamp = EntityDefinition(
    name: "Stamp", attributes: [AttributeDefinition(name: "code", type: .string)], uniquenessConstraints: [["code"]])
  /// A page of an older program.
  private let oldPage = EntityDefinition(
    name: "Page", attributes: [AttributeDefinition(name: "title", type: .string)],
    indexes: [IndexDefinition("title")])

  private var whole: StoreSchema { schema([page, line, tag, marker, stamp]) }

  @Test func `a schema that leaves classes and properties out changes nothing`() throws {
    for other in [[stamp], [oldPage], [page, line, tag], [stamp, oldPage], [oldPage, marker]] {
      let temporary = try TemporaryStore(schema: whole)
      let before = try temporary.store.read { $0.catalogue }
      let widget = try RecordStore.open(temporary.configuration, schema: schema(other))
      #expect(widget.migrations.isEmpty)
      #expect(try widget.read { $0.catalogue } == before)
      // And the app goes on, now and at its next start.
      #expect(try temporary.store.read { $0.catalogue } == before)
      let again = try RecordStore.open(temporary.configuration, schema: whole)
      #expect(try again.read { $0.catalogue } == before)
      try temporary.check()
    }
  }

  @Test func `two schemas of one version add up, whichever comes first`() throws {
    let sketch = EntityDefinition(name: "Sketch", attributes: [AttributeDefinition(name: "ink", type: .string)])
    let ours = schema([page, line, tag, marker])
    let theirs = schema([oldPage, stamp, sketch])
    for (first, second) in [(ours, theirs), (theirs, ours)] {
      let temporary = try TemporaryStore(schema: first)
      let other = try RecordStore.open(temporary.configuration, schema: second)
      let union = try other.read { $0.catalogue }
      #expect(union.entities.filter { $0.isDeclared && !$0.isJoin }.count == 6)
      for store in [temporary.store, other] {
        let names = try FixtureNames(store)
        try store.save(
          names.insert("Page", fixtureID(1), ["title": .string("a")]),
          names.insert("Line", fixtureID(2), ["text": .string("b"), "page": .reference(fixtureID(1))]))
        #expect(try store.value("Page", fixtureID(1), "stars") == .int(3))
        // A rule of classes that one of them does not know holds for both.
        try store.save(names.delete("Page", fixtureID(1)))
        #expect(try !store.isVisible("Line", fixtureID(2)))
      }
      _ = try RecordStore.open(temporary.configuration, schema: first)
      _ = try RecordStore.open(temporary.configuration, schema: second)
      #expect(try temporary.store.read { $0.catalogue } == union)
      try temporary.check()
    }
  }

  @Test func `what one version declares ends with the next`() throws {
    let temporary = try TemporaryStore(schema: whole)
    try temporary.store.migrate(to: schema([oldPage, stamp], version: 2))
    let catalogue = try temporary.store.read { $0.catalogue }
    #expect(Set(catalogue.entities.filter(\.isDeclared).map(\.name)) == ["Page", "Stamp"])
    #expect(catalogue.entity(named: "Page")?.field(named: "mood")?.isDeclared == false)
    try temporary.check()
  }

  @Test func `rules of what a schema does declare follow it at once`() throws {
    var keeping = page
    keeping.relationships[0].deleteRule = .nullify
    let temporary = try TemporaryStore(schema: whole)
    let store = temporary.store
    try store.migrate(to: schema([keeping, line, tag]))
    let names = try FixtureNames(store)
    try store.save(
      names.insert("Page", fixtureID(1), ["title": .string("a")]),
      names.insert("Line", fixtureID(2), ["text": .string("b"), "page": .reference(fixtureID(1))]))
    try store.save(names.delete("Page", fixtureID(1)))
    #expect(try store.isVisible("Line", fixtureID(2)))
    #expect(try store.read { $0.catalogue }.entity(named: "Marker")?.isDeclared == true)
    try temporary.check()
  }

  @Test func `a class stays beside one that takes another name`() throws {
    var sheet = page
    (sheet.name, sheet.originalName) = ("Sheet", "Page")
    sheet.relationships[0].inverse = "sheet"
    sheet.relationships[1].inverse = "sheets"
    var row = line
    row.relationships = [
      RelationshipDefinition(name: "sheet", originalName: "page", destination: "Sheet", inverse: "lines")
    ]
    var label = tag
    label.relationships = [
      RelationshipDefinition(
        name: "sheets", originalName: "pages", destination: "Sheet", isToMany: true, inverse: "tags")
    ]
    let temporary = try TemporaryStore(schema: whole)
    let store = temporary.store
    let names = try FixtureNames(store)
    try store.save(
      names.insert("Page", fixtureID(1), ["title": .string("a")]), names.insert("Marker", fixtureID(2)),
      names.update("Page", fixtureID(1), ["~Marker.marked": .reference(fixtureID(2))]))
    try store.migrate(to: schema([sheet, row, label]))
    #expect(try store.read { $0.catalogue }.entity(named: "Marker")?.relationships.map(\.destination) == ["Sheet"])
    #expect(try store.related("Marker", fixtureID(2), "marked") == [fixtureID(1)])
    try temporary.check()
  }

  @Test func `an attribute that new records could not fill ends with the schema that leaves it out`() throws {
    var coded = page
    coded.attributes.append(AttributeDefinition(name: "code", type: .string, isOptional: true))
    coded.attributes.append(AttributeDefinition(name: "size", type: .int))
    coded.uniquenessConstraints = [["code"]]
    let temporary = try TemporaryStore(schema: schema([coded, line, tag]))
    try temporary.store.migrate(to: schema([page, line, tag]))
    let catalogue = try temporary.store.read { $0.catalogue }
    #expect(catalogue.entity(named: "Page")?.field(named: "code")?.isDeclared == false)
    #expect(catalogue.entity(named: "Page")?.field(named: "size")?.isDeclared == false)
    try temporary.check()
  }

  @Test func `a default that each process works out anew changes nothing after the first`() throws {
    func note(_ value: Int64, isOptional: Bool = false) -> StoreSchema {
      schema([
        EntityDefinition(
          name: "Note",
          attributes: [
            AttributeDefinition(name: "text", type: .string),
            AttributeDefinition(name: "made", type: .int, isOptional: isOptional, defaultValue: .int(value)),
          ])
      ])
    }
    let text = EntityDefinition(name: "Note", attributes: [AttributeDefinition(name: "text", type: .string)])
    let temporary = try TemporaryStore(schema: schema([text]))
    let store = temporary.store
    try store.save(try FixtureNames(store).insert("Note", fixtureID(1), ["text": .string("a")]))
    try store.migrate(to: note(1))
    let before = try store.read { $0.catalogue }
    let other = try RecordStore.open(temporary.configuration, schema: note(2))
    #expect(other.migrations.isEmpty)
    #expect(try other.read { $0.catalogue } == before)
    #expect(try other.value("Note", fixtureID(1), "made") == .int(1))
    // Also where a schema makes it optional.
    try store.migrate(to: note(3, isOptional: true))
    #expect(try store.value("Note", fixtureID(1), "made") == .int(1))
    try temporary.check()
  }
}
