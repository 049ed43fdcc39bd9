import TestSupport
import Testing

@testable import RecordStore

/// Which stages lead from where to where: pure, without a store.
struct MigrationRouteTests {
  private func schema(_ version: Int, _ names: [String]) -> StoreSchema {
    StoreSchema(
      version: SchemaVersion(version, 0, 0),
      entities: [
        EntityDefinition(
          name: "Note", attributes: names.map { AttributeDefinition(name: $0, type: .int, isOptional: true) })
      ])
  }

  private var versions: [StoreSchema] {
    [schema(1, ["a"]), schema(2, ["a", "b"]), schema(3, ["a", "b"]), schema(4, ["b"])]
  }

  private func history(_ stages: [(Int, Int)], target: Int = 3) -> MigrationHistory {
    MigrationHistory(
      versions: versions, stages: stages.map { .init(from: $0.0, to: $0.1, isCustom: true) }, target: target
    ) { _, _ in }
  }

  private func catalogue(_ schema: StoreSchema) throws -> Catalogue { try CatalogueBuilder.build(schema, onto: nil) }

  @Test func `a store is found by its shape, and among equal shapes by its number`() throws {
    let history = history([])
    for (position, version) in versions.enumerated() {
      #expect(history.position(of: try catalogue(version)) == position)
    }
    // Made before the app counted versions.
    #expect(history.position(of: try catalogue(schema(1, ["b"]))) == 3)
    #expect(history.position(of: try catalogue(schema(1, ["a", "b"]))) == 2)
    #expect(history.position(of: try catalogue(schema(1, ["c"]))) == 0)
    #expect(history.position(of: try catalogue(schema(9, ["c"]))) == nil)
    #expect(history.position(of: try catalogue(schema(0, ["c"]))) == 0)
  }

  @Test func `named stages are taken, and neighbours without one are bridged`() throws {
    let old = try catalogue(versions[0])
    #expect(history([]).route(from: old) == [.init(to: 1), .init(to: 2), .init(to: 3)])
    #expect(
      history([(0, 1), (1, 2), (2, 3)]).route(from: old)
        == [.init(to: 1, stage: 0), .init(to: 2, stage: 1), .init(to: 3, stage: 2)])
    #expect(history([(0, 1), (1, 3)]).route(from: old) == [.init(to: 1, stage: 0), .init(to: 3, stage: 1)])
    #expect(history([(0, 3), (0, 1)]).route(from: old) == [.init(to: 3, stage: 0)])
    #expect(history([(1, 2)]).route(from: old) == [.init(to: 1), .init(to: 2, stage: 0), .init(to: 3)])
  }

  @Test func `a stage beyond the version wanted is not taken`() throws {
    let old = try catalogue(versions[0])
    #expect(history([(0, 3)], target: 1).route(from: old) == [.init(to: 1)])
    #expect(history([(0, 1), (1, 3)], target: 2).route(from: old) == [.init(to: 1, stage: 0), .init(to: 2)])
  }

  @Test func `back leads only what the app names`() throws {
    let new = try catalogue(versions[3])
    #expect(history([(0, 3)], target: 1).route(from: new).isEmpty)
    #expect(history([(3, 1)], target: 1).route(from: new) == [.init(to: 1, stage: 0)])
    #expect(
      history([(3, 2), (2, 1), (1, 2), (1, 0)], target: 1).route(from: new)
        == [.init(to: 2, stage: 0), .init(to: 1, stage: 1)])
    // A gap is not bridged, and no way leads below the version wanted.
    #expect(history([(3, 2)], target: 1).route(from: new).isEmpty)
    #expect(history([(3, 0), (0, 1)], target: 1).route(from: new).isEmpty)
    // Forth, what leads back is no way.
    #expect(history([(3, 0), (1, 0)]).route(from: try catalogue(versions[0])).map(\.to) == [1, 2, 3])
  }

  @Test func `what a later version renamed is renamed back`() {
    let first = StoreSchema(
      version: SchemaVersion(1, 0, 0),
      entities: [
        EntityDefinition(
          name: "Note", attributes: ["text", "body", "kept"].map { AttributeDefinition(name: $0, type: .int) })
      ])
    let second = StoreSchema(
      version: SchemaVersion(2, 0, 0),
      entities: [
        EntityDefinition(
          name: "Entry", originalName: "Note",
          attributes: [
            AttributeDefinition(name: "title", originalName: "text", type: .int),
            AttributeDefinition(name: "kept", originalName: "body", type: .int),
          ])
      ])
    let back = first.following(second)
    #expect(back.entities[0].originalName == "Entry")
    // `kept` is a name of both versions, so it says nothing of `body`.
    #expect(back.entities[0].attributes.map(\.originalName) == ["title", nil, nil])
    #expect(second.following(first) == second && first.following(first) == first)
  }

  /// The original names were passed over: each property showed the values of the other.
  @Test func `names that change places in one step are refused, and kept by a version between`() throws {
    func version(_ number: Int, _ names: [(String, String?)]) -> StoreSchema {
      StoreSchema(
        version: SchemaVersion(number, 0, 0),
        entities: [
          EntityDefinition(
            name: "Note", attributes: names.map { AttributeDefinition(name: $0, originalName: $1, type: .string) })
        ])
    }
    let first = version(1, [("a", nil), ("b", nil)])
    let between = version(2, [("c", "a"), ("d", "b")])
    let last = version(3, [("b", "c"), ("a", "d")])
    let swapped = version(3, [("b", "a"), ("a", "b")])
    let later = version(4, [("b", "a"), ("a", "b"), ("e", nil)])
    func open(_ temporary: TemporaryStore, _ versions: [StoreSchema]) throws -> RecordStore {
      let history = MigrationHistory(versions: versions, stages: [], target: versions.count - 1) { _, _ in }
      return try RecordStore.open(temporary.configuration, schema: versions[versions.count - 1], history: history)
    }
    let temporary = try TemporaryStore(schema: first)
    let insert = try FixtureNames(temporary.store).insert("Note", fixtureID(1), ["a": .string("A"), "b": .string("B")])
    try temporary.store.save(insert)
    let error = #expect(throws: StoreError.self) { try open(temporary, [first, swapped]) }
    #expect(error?.code == .incompatibleSchema && error?.message.contains("put a version between") == true)
    let store = try open(temporary, [first, between, last])
    #expect(try store.value("Note", fixtureID(1), "b") == .string("A"))
    #expect(try store.value("Note", fixtureID(1), "a") == .string("B"))
    // What a version says again is done.
    let again = try open(temporary, [swapped, later])
    #expect(try again.value("Note", fixtureID(1), "b") == .string("A"))
    // Both names are there for a user of the first version, and mean the other property.
    let former = #expect(throws: StoreError.self) { _ = try temporary.store.value("Note", fixtureID(1), "b") }
    #expect(former?.code == .backwardMigration)
    try expectSound(again)
  }

  @Test func `a store that is there already, or beyond, needs no stage`() throws {
    #expect(history([(0, 3)]).route(from: try catalogue(versions[3])).isEmpty)
    #expect(history([(0, 1)], target: 1).route(from: try catalogue(versions[2])).isEmpty)
    #expect(history([]).route(from: try catalogue(schema(9, ["c"]))).isEmpty)
  }
}
