import RecordStore
import TestSupport
import Testing

/// Random steps between schemas, with saves in between, against a twin of plain dictionaries: whatever goes and comes
/// back, takes another name or an index, each record keeps what was written to it.
struct MigrationTwinTests {
  /// An attribute, by whatever name it goes.
  private struct Attribute {
    var name: String
    var formerName: String?
    var isDeclared = true
    var isIndexed = false
  }

  private struct Twin {
    var generator: SeededGenerator
    var version = 1
    var attributes: [Attribute] = [Attribute(name: "f0")]
    var nameCount = 1
    /// By record, then by the place of the attribute.
    var records: [RecordID: [Int: Int64]] = [:]
    var recordCount: UInt64 = 0

    var declared: [Int] { attributes.indices.filter { attributes[$0].isDeclared } }

    var schema: StoreSchema {
      StoreSchema(
        version: SchemaVersion(version, 0, 0),
        entities: [
          EntityDefinition(
            name: "Note",
            attributes: declared.map {
              AttributeDefinition(
                name: attributes[$0].name, originalName: attributes[$0].formerName, type: .int, isOptional: true)
            }, indexes: declared.filter { attributes[$0].isIndexed }.map { IndexDefinition(attributes[$0].name) })
        ])
    }

    /// Changes the schema by one step.
    mutating func takeStep() {
      version += 1
      for index in attributes.indices { attributes[index].formerName = nil }
      let place = attributes.indices.randomElement(using: &generator) ?? 0
      switch Int.random(in: 0..<5, using: &generator) {
      case 0:
        attributes.append(Attribute(name: "f\(nameCount)", isIndexed: Bool.random(using: &generator)))
        nameCount += 1
      case 1: attributes[place].isDeclared.toggle()
      case 2 where attributes[place].isDeclared:
        attributes[place].formerName = attributes[place].name
        attributes[place].name = "f\(nameCount)"
        nameCount += 1
      default: attributes[place].isIndexed.toggle()
      }
    }

    /// A save of one change, which the twin takes note of.
    mutating func change(_ names: FixtureNames) -> RecordChange {
      var fields: [String: FieldValue] = [:]
      var written: [Int: Int64?] = [:]
      for place in declared where Bool.random(using: &generator) {
        let value = generator.oneIn(4) ? nil : Int64.random(in: 0...5, using: &generator)
        written[place] = .some(value)
        fields[attributes[place].name] = value.map { .int($0) } ?? .null
      }
      let known = records.keys.sorted().randomElement(using: &generator)
      guard let known, !generator.oneIn(3) else {
        recordCount += 1
        records[fixtureID(recordCount)] = written.compactMapValues { $0 }
        return names.insert("Note", fixtureID(recordCount), fields)
      }
      if generator.oneIn(6) {
        records[known] = nil
        return names.delete("Note", known)
      }
      for (place, value) in written { records[known]?[place] = value }
      return names.update("Note", known, fields)
    }
  }

  @Test(arguments: 0..<4) func `random steps leave every value where it was written`(run: Int) throws {
    var twin = Twin(generator: SeededGenerator.announced("migration twin, run \(run)"))
    let temporary = try TemporaryStore(schema: twin.schema)
    var store = temporary.store
    for _ in 0..<60 {
      for _ in 0..<Int.random(in: 0...3, using: &twin.generator) {
        _ = try store.commit(SaveRequest(changes: [twin.change(try FixtureNames(store))]))
      }
      twin.takeStep()
      if Bool.random(using: &twin.generator) {
        try store.migrate(to: twin.schema)
      } else {
        store = try RecordStore.open(temporary.configuration, schema: twin.schema)
      }
      try compare(store, twin)
    }
    try expectSound(store)
  }

  private func compare(_ store: RecordStore, _ twin: Twin) throws {
    let names = try FixtureNames(store)
    let note = names.entity("Note")
    let ids = twin.records.keys.sorted()
    #expect(try store.read { try $0.identifiers(RecordQuery(entity: note)) } == ids)
    for place in twin.declared {
      let name = twin.attributes[place].name
      func value(_ id: RecordID) -> Int64? { twin.records[id]?[place] }
      for id in ids {
        #expect(try store.value("Note", id, name) == (value(id).map { .int($0) } ?? .null), "\(id.low).\(name)")
      }
      let path = FieldPath(names.ordinal("Note", name))
      let equal = RecordQuery(entity: note, filter: .compare(path, .equal, .int(3)))
      #expect(try store.read { try $0.identifiers(equal) } == ids.filter { value($0) == 3 }, "\(name) == 3")
      let sorted = RecordQuery(entity: note, sort: [.init(path)])
      let order = ids.sorted { (value($0) ?? -1, $0) < (value($1) ?? -1, $1) }
      #expect(try store.read { try $0.identifiers(sorted) } == order, "by \(name)")
    }
  }
}
