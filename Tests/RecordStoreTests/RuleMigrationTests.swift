import RecordStore
import TestSupport
import Testing

/// Schemas with other rules, in stores with records that the rules hid.
struct RuleMigrationTests {
  private func schema(_ version: Int, _ rule: DeleteRule) -> StoreSchema {
    let name = AttributeDefinition(name: "name", type: .string)
    let lines = RelationshipDefinition(
      name: "lines", destination: "Line", isToMany: true, deleteRule: rule, inverse: "page")
    let page = RelationshipDefinition(name: "page", destination: "Page", inverse: "lines")
    return StoreSchema(
      version: SchemaVersion(version, 0, 0),
      entities: [
        EntityDefinition(name: "Page", attributes: [name], relationships: [lines]),
        EntityDefinition(
          name: "Line", attributes: [name], relationships: [page], uniquenessConstraints: [["name"]]),
      ])
  }

  private func save(_ texts: String..., in store: RecordStore) throws {
    for text in texts { _ = try store.commit(SaveRequest(changes: try RuleScript(store).changes(text))) }
  }

  /// The rules of unique values were not asked when rules of an entity changed: the hidden record and the one that got
  /// its value since were both shown, and so the store could not be opened.
  @Test func `a hidden record whose unique value another one has stands against no change of rules`() throws {
    try withTemporaryStore(schema: schema(1, .cascade)) { store throws in
      try save(
        "insert Page 1 name=a; insert Line 2 name=x page=#1", "delete Page 1", "insert Line 3 name=x", in: store)
      try store.migrate(to: schema(2, .nullify))
      #expect(try RuleScript(store).records(of: store) == ["Line 3 name=x"])
      try save("delete Line 3", in: store)
      #expect(try RuleScript(store).records(of: store) == ["Line 2 name=x"])
    }
  }

  @Test func `a record whose target was deleted before outlives a change to cascade, without the target`() throws {
    try withTemporaryStore(schema: schema(1, .nullify)) { store throws in
      try save(
        "insert Page 1 name=a; insert Line 2 name=x page=#1; insert Page 3 name=b; insert Line 4 name=y page=#3",
        "delete Page 1", in: store)
      try store.migrate(to: schema(2, .cascade))
      #expect(
        try RuleScript(store).records(of: store)
          == ["Page 3 name=b lines=#4", "Line 2 name=x", "Line 4 name=y page=#3"])
      try save("delete Page 3", in: store)
      #expect(try RuleScript(store).records(of: store) == ["Line 2 name=x"])
    }
  }
}
