import Foundation
import RecordStore
import TestSupport
import Testing

/// Opening, refusing, erasing, copying, migrating.
struct StoreLifeTests {
  private func withFolder(_ body: (URL) throws -> Void) throws {
    let folder = try makeTemporaryFolder()
    let outcome = Result { try body(folder) }
    try FileManager.default.removeItem(at: folder)
    try outcome.get()
  }

  private func code(_ configuration: StoreConfiguration, schema: StoreSchema? = .fixture) -> StoreError.Code? {
    #expect(throws: StoreError.self) { _ = try RecordStore.open(configuration, schema: schema) }?.code
  }

  @Test func `what is not a store is refused and left as it was`() throws {
    try withFolder { folder throws in
      let file = folder.appendingPathComponent("file.store")
      try Data("hello".utf8).write(to: file)
      #expect(code(StoreConfiguration(url: file)) == .notAStore)
      let other = folder.appendingPathComponent("other.store")
      try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
      try Data("hello".utf8).write(to: other.appendingPathComponent("notes.txt"))
      #expect(code(StoreConfiguration(url: other)) == .notAStore)
      #expect(try FileManager.default.contentsOfDirectory(atPath: other.path) == ["notes.txt"])
      try Data(repeating: 7, count: 10_000).write(to: other.appendingPathComponent("data.mdb"))
      #expect([.notAStore, .damaged].contains(code(StoreConfiguration(url: other))))
    }
  }

  /// A new data file gets its place with its first commit, so a crash before leaves nothing at that place.
  @Test func `a store whose creation was cut off is made anew`() throws {
    try withFolder { folder throws in
      let whole = folder.appendingPathComponent("whole.store")
      _ = try RecordStore.open(StoreConfiguration(url: whole), schema: .fixture)
      let data = try Data(contentsOf: whole.appendingPathComponent("data.mdb"))
      for (number, left) in [nil, Data(), Data(count: data.count), data.dropLast(5), data].enumerated() {
        let url = folder.appendingPathComponent("\(number).store")
        let creating = url.appendingPathComponent("creating")
        try FileManager.default.createDirectory(at: creating, withIntermediateDirectories: true)
        try left?.write(to: creating.appendingPathComponent("data.mdb"))
        #expect(code(StoreConfiguration(url: url, isReadOnly: true)) == .notFound)
        let store = try RecordStore.open(StoreConfiguration(url: url), schema: .fixture)
        #expect(!FileManager.default.fileExists(atPath: creating.path))
        try store.save(try FixtureNames(store).insert("City", fixtureID(1), ["name": .string("a")]))
        try expectSound(store)
      }
    }
  }

  @Test func `a data file that lost its beginning is refused and kept, and an empty one is none`() throws {
    try withFolder { folder throws in
      let whole = folder.appendingPathComponent("whole.store")
      _ = try RecordStore.open(StoreConfiguration(url: whole), schema: .fixture)
      let page = Int(sysconf(Int32(_SC_PAGESIZE)))
      let data = try Data(contentsOf: whole.appendingPathComponent("data.mdb"))
      let zeros = Data(count: page)
      let cut = [
        Data("hello".utf8), zeros, zeros + zeros, data.prefix(page), data.prefix(page - 1),
        zeros + zeros + data.dropFirst(2 * page),
      ]
      let file = whole.appendingPathComponent("data.mdb")
      for left in cut {
        try left.write(to: file)
        #expect([.notAStore, .damaged].contains(code(StoreConfiguration(url: whole))))
        #expect(try Data(contentsOf: file) == left)
      }
      try Data().write(to: file)
      #expect(code(StoreConfiguration(url: whole, isReadOnly: true)) == .notFound)
      try expectSound(try RecordStore.open(StoreConfiguration(url: whole), schema: .fixture))
    }
  }

  @Test func `a missing store is created only where that is allowed`() throws {
    try withFolder { folder throws in
      let url = folder.appendingPathComponent("new.store")
      #expect(code(StoreConfiguration(url: url, isReadOnly: true)) == .notFound)
      #expect(code(StoreConfiguration(url: url, createsIfMissing: false)) == .notFound)
      #expect(code(StoreConfiguration(url: url), schema: nil) == .notFound)
      let broken = StoreSchema(entities: [EntityDefinition(name: "A"), EntityDefinition(name: "A")])
      #expect(code(StoreConfiguration(url: url), schema: broken) == .invalidSchema)
      #expect(!FileManager.default.fileExists(atPath: url.path))
    }
  }

  @Test func `a reader sees the store and cannot save`() throws {
    let temporary = try TemporaryStore()
    let names = try FixtureNames(temporary.store)
    try temporary.store.save(names.insert("City", fixtureID(1), ["name": .string("a")]))
    var configuration = temporary.configuration
    configuration.isReadOnly = true
    let reader = try RecordStore.open(configuration, schema: .fixture)
    #expect(try reader.isVisible("City", fixtureID(1)))
    let error = #expect(throws: StoreError.self) { try reader.save(names.delete("City", fixtureID(1))) }
    #expect(error?.code == .readOnly)
    try temporary.check()
  }

  @Test func `an erased store is empty, keeps its family and tells readers of history`() throws {
    try withTemporaryStore { store throws in
      let names = try FixtureNames(store)
      try store.save(names.insert("City", fixtureID(1), ["name": .string("a")]))
      let (family, replica) = (store.storeID, try store.read { try $0.replica })
      try store.erase()
      #expect(store.storeID == family)
      #expect(try store.read { try $0.replica } != replica)
      #expect(try !store.isVisible("City", fixtureID(1)))
      let error = #expect(throws: StoreError.self) { _ = try store.read { try $0.history(after: 0) } }
      #expect(error?.code == .historyTokenExpired)
      try store.save(names.insert("City", fixtureID(2), ["name": .string("a")]))
      #expect(try store.isVisible("City", fixtureID(2)))
    }
  }

  @Test func `a copy holds the same records as another replica`() throws {
    let temporary = try TemporaryStore()
    let store = temporary.store
    let names = try FixtureNames(store)
    try store.save(names.insert("City", fixtureID(1), ["name": .string("a")]))
    let url = temporary.folder.appendingPathComponent("copy.store")
    try store.copy(to: url)
    let copy = try RecordStore.open(StoreConfiguration(url: url, durability: .unsafeNoFlush))
    #expect(try copy.value("City", fixtureID(1), "name") == .string("a"))
    #expect(copy.storeID == store.storeID)
    #expect(try copy.read { try $0.replica } != store.read { try $0.replica })
    try copy.save(names.insert("City", fixtureID(2), ["name": .string("b")]))
    try expectSound(copy)
    #expect(storeErrorCode { try store.copy(to: url) } == .invalidRequest)
  }

  @Test func `a store joins a family only while it is alone`() throws {
    let family = try ReplicaFamily(count: 2)
    let names = try FixtureNames(family.stores[0].store)
    try family.stores[0].store.save(names.insert("City", fixtureID(1), ["name": .string("a")]))
    try family.exchangeAll()
    let error = #expect(throws: StoreError.self) { try family.stores[1].store.adopt(storeID: fixtureID(9)) }
    #expect(error?.code == .invalidRequest)
    try family.check()
  }

  @Test func `a merge that leaves a gap is refused`() throws {
    let family = try ReplicaFamily(count: 2)
    let names = try FixtureNames(family.stores[0].store)
    for number in 1...2 {
      try family.stores[0].store.save(names.insert("City", fixtureID(UInt64(number)), ["name": .string("\(number)")]))
    }
    let second = try family.outgoing(of: 0, after: 1)
    let error = #expect(throws: StoreError.self) { try family.merge(second, into: 1) }
    #expect(error?.code == .invalidRequest)
    #expect(try family.stores[1].store.read { try $0.lastTransactionNumber } == 0)
  }
}

struct MigrationTests {
  private func note(
    _ attributes: [AttributeDefinition], uniquenessConstraints: [[String]] = [], indexes: [IndexDefinition] = [],
    version: SchemaVersion = SchemaVersion(1, 0, 0), name: String = "Note", originalName: String? = nil
  ) -> StoreSchema {
    StoreSchema(
      version: version,
      entities: [
        EntityDefinition(
          name: name, originalName: originalName, attributes: attributes,
          uniquenessConstraints: uniquenessConstraints, indexes: indexes)
      ])
  }
  private let text = AttributeDefinition(name: "text", type: .string, isOptional: true)

  /// A store with one note, opened again with another schema.
  private func migrated(
    to schema: StoreSchema, _ body: (RecordStore) throws -> Void
  ) throws {
    try withTemporaryStore(schema: note([text])) { store throws in
      let names = try FixtureNames(store)
      try store.save(
        names.insert("Note", fixtureID(1), ["text": .string("a")]), names.insert("Note", fixtureID(2), ["text": .null]))
      try store.migrate(to: schema)
      try body(store)
    }
  }

  @Test func `a new attribute reads as its default`() throws {
    let count = AttributeDefinition(name: "count", type: .int, defaultValue: .int(7))
    try migrated(to: note([text, count])) { store throws in
      #expect(try store.value("Note", fixtureID(1), "count") == .int(7))
    }
  }

  @Test func `a new index finds the records that were there`() throws {
    try migrated(to: note([text], indexes: [IndexDefinition("text")])) { store throws in
      let query = RecordQuery(
        entity: 0, filter: .compare(FieldPath(0), .equal, .string("a")))
      #expect(try store.read { try $0.identifiers(query) } == [fixtureID(1)])
    }
  }

  @Test func `an index over a text is built anew when it is to stand as people expect`() throws {
    func schema(isForPeople: Bool) -> StoreSchema {
      note([text], indexes: [IndexDefinition(components: [.init("text", isForPeople: isForPeople)])])
    }
    try withTemporaryStore(schema: schema(isForPeople: false)) { store throws in
      let names = try FixtureNames(store)
      let texts: [FieldValue] = [
        .string("b"), .string("B"), .string("note 10"), .string("Note 9"), .null, .string("ä"),
      ]
      let changes = texts.enumerated().map { names.insert("Note", fixtureID(UInt64($0)), ["text": $1]) }
      _ = try store.commit(SaveRequest(changes: changes))
      let path = FieldPath(0)
      for isForPeople in [true, false] {
        try store.migrate(to: schema(isForPeople: isForPeople))
        let sort = RecordQuery.SortKey(path, comparison: isForPeople ? .localizedStandard : .natural)
        let query = RecordQuery(entity: 0, sort: [sort], limit: 6)
        #expect(try store.read { try $0.explain(query) }.contains("sort") == false)
        #expect(
          try store.read { try $0.identifiers(query) }
            == (isForPeople ? [4, 5, 0, 1, 3, 2] : [4, 1, 3, 0, 2, 5]).map { fixtureID($0) })
        let equal = RecordQuery(entity: 0, filter: .compare(path, .equal, .string("a\u{308}")))
        #expect(try store.read { try $0.identifiers(equal) } == [fixtureID(5)])
      }
    }
  }

  @Test func `an order for people asks for a text`() {
    let count = AttributeDefinition(name: "count", type: .int, defaultValue: .int(7))
    let schema = note([count], indexes: [IndexDefinition(components: [.init("count", isForPeople: true)])])
    let error = #expect(throws: StoreError.self) { try withTemporaryStore(schema: schema) { _ throws in } }
    #expect(error?.code == .invalidSchema)
  }

  @Test func `a required attribute with a default takes the place of null`() throws {
    let required = AttributeDefinition(name: "text", type: .string, defaultValue: .string("-"))
    try migrated(to: note([required])) { store throws in
      #expect(try store.value("Note", fixtureID(2), "text") == .string("-"))
      #expect(try store.value("Note", fixtureID(1), "text") == .string("a"))
    }
  }

  @Test func `renamed entities and attributes keep their records`() throws {
    let body = AttributeDefinition(name: "body", originalName: "text", type: .string, isOptional: true)
    try migrated(to: note([body], name: "Memo", originalName: "Note")) { store throws in
      #expect(try store.value("Memo", fixtureID(1), "body") == .string("a"))
    }
  }

  @Test func `a dropped attribute comes back with its values`() throws {
    try migrated(to: note([])) { store throws in
      #expect(try store.isVisible("Note", fixtureID(1)))
      try store.migrate(to: note([text]))
      #expect(try store.value("Note", fixtureID(1), "text") == .string("a"))
    }
  }

  @Test func `another type, or required without a default over null, is refused and changes nothing`() throws {
    try withTemporaryStore(schema: note([text])) { store throws in
      let names = try FixtureNames(store)
      try store.save(names.insert("Note", fixtureID(1), ["text": .null]))
      let before = try store.read { $0.catalogue }
      for attribute in [
        AttributeDefinition(name: "text", type: .int, isOptional: true),
        AttributeDefinition(name: "text", type: .string),
      ] {
        let error = #expect(throws: StoreError.self) { try store.migrate(to: note([attribute])) }
        #expect(error?.code == .incompatibleSchema)
        #expect(error?.message.contains("Note.text") == true)
      }
      #expect(try store.read { $0.catalogue } == before)
    }
  }

  @Test func `a dropped attribute may come back with another type, and its values wait for the first`() throws {
    func version(_ major: Int, _ attributes: [AttributeDefinition]) -> StoreSchema {
      note(attributes, version: SchemaVersion(major, 0, 0))
    }
    try migrated(to: version(2, [])) { store throws in
      try store.migrate(to: version(3, [AttributeDefinition(name: "text", type: .int, isOptional: true)]))
      #expect(try store.value("Note", fixtureID(1), "text") == .null)
      try expectSound(store)
      try store.migrate(to: version(4, []))
      try store.migrate(to: version(5, [text]))
      #expect(try store.value("Note", fixtureID(1), "text") == .string("a"))
    }
  }

  @Test func `required without a default is fine where every record has a value`() throws {
    try withTemporaryStore(schema: note([text])) { store throws in
      let names = try FixtureNames(store)
      try store.save(names.insert("Note", fixtureID(1), ["text": .string("a")]))
      try store.migrate(to: note([AttributeDefinition(name: "text", type: .string)]))
      #expect(try store.value("Note", fixtureID(1), "text") == .string("a"))
    }
  }

  @Test func `a name that was given away may be that of a new attribute`() throws {
    let body = AttributeDefinition(name: "body", originalName: "text", type: .string, isOptional: true)
    let count = AttributeDefinition(name: "text", type: .int, defaultValue: .int(3))
    for attributes in [[body, count], [count, body]] {
      try migrated(to: note(attributes)) { store throws in
        #expect(try store.value("Note", fixtureID(1), "body") == .string("a"))
        #expect(try store.value("Note", fixtureID(1), "text") == .int(3))
        let generation = try store.read { $0.catalogue.generation }
        try store.migrate(to: note(attributes))
        #expect(try store.read { $0.catalogue.generation } == generation)
      }
    }
  }

  @Test func `an older schema goes on while all of it is there, else it is told of both versions`() throws {
    let count = AttributeDefinition(name: "count", type: .int, defaultValue: .int(7))
    try migrated(to: note([text, count], version: SchemaVersion(2, 0, 0))) { store throws in
      let generation = try store.read { $0.catalogue.generation }
      try store.migrate(to: note([text]))
      #expect(try store.read { $0.catalogue.generation } == generation)
      let error = #expect(throws: StoreError.self) {
        try store.migrate(to: note([AttributeDefinition(name: "other", type: .int)]))
      }
      #expect(error?.code == .backwardMigration)
    }
  }
}
