import Foundation
import RecordStore
import TestSupport
import Testing

/// Each value of each type comes back bit by bit, from wherever it is read.
struct ValueRoundTripTests {
  private func schema(_ type: FieldType) -> StoreSchema {
    let isReference = type == .reference
    return StoreSchema(entities: [
      EntityDefinition(
        name: "Box",
        attributes: isReference
          ? [] : [AttributeDefinition(name: "value", type: type, isOptional: true, preservesValueOnDeletion: true)],
        relationships: isReference ? [RelationshipDefinition(name: "value", destination: "Target")] : [],
        indexes: [IndexDefinition("value")]),
      EntityDefinition(name: "Target"),
    ])
  }

  private func values(_ type: FieldType) -> [FieldValue] { [.null] + ValueLadder.of(type).values.map(\.value) }

  /// Targets of references, and a box for each value.
  private func fill(_ store: RecordStore, _ type: FieldType) throws {
    let names = try FixtureNames(store)
    for value in values(type) {
      if case .reference(let id) = value { try store.save(names.insert("Target", id)) }
    }
    let changes = values(type).enumerated().map { names.insert("Box", fixtureID(UInt64($0)), ["value": $1]) }
    _ = try store.commit(SaveRequest(changes: changes))
  }

  /// `shift`: by how many places the values have moved on among the boxes.
  private func expectValues(
    _ store: RecordStore, _ type: FieldType, shift: Int = 0, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let values = values(type)
    for index in values.indices {
      let expected = values[(index + shift) % values.count]
      let found = try store.value("Box", fixtureID(UInt64(index)), "value")
      #expect(
        found?.isIdentical(to: expected) == true || found?.isSame(as: expected) == true, "\(expected)",
        sourceLocation: sourceLocation)
    }
  }

  @Test(arguments: FieldType.allCases) func `a value is read as it was written, also by who opens the store anew`(
    type: FieldType
  ) throws {
    let temporary = try TemporaryStore(schema: schema(type))
    try fill(temporary.store, type)
    try expectValues(temporary.store, type)
    let again = try RecordStore.open(temporary.configuration, schema: schema(type))
    try expectValues(again, type)
    try temporary.check()
  }

  @Test(arguments: FieldType.allCases) func `a value reaches another device as it was written`(type: FieldType) throws {
    let family = try ReplicaFamily(count: 2, schema: schema(type))
    try fill(family.stores[0].store, type)
    try family.pull(into: 1, from: 0)
    try expectValues(family.stores[1].store, type)
    try family.check()
  }

  @Test(arguments: FieldType.allCases) func `a copy of the store has the values`(type: FieldType) throws {
    let temporary = try TemporaryStore(schema: schema(type))
    try fill(temporary.store, type)
    let url = temporary.folder.appendingPathComponent("copy.store")
    try temporary.store.copy(to: url)
    let copy = try RecordStore.open(StoreConfiguration(url: url, durability: .unsafeNoFlush))
    try expectValues(copy, type)
    try expectSound(copy)
  }

  /// Every value takes the place of the one before it, so each is once the old and once the new one.
  @Test(arguments: FieldType.allCases)
  func `history that keeps changed values has the old and the new one`(type: FieldType) throws {
    let temporary = try TemporaryStore(schema: schema(type)) { $0.keepsChangedValues = true }
    let store = temporary.store
    try fill(store, type)
    let names = try FixtureNames(store)
    let values = values(type)
    for index in values.indices {
      let next = values[(index + 1) % values.count]
      let result = try store.save(names.update("Box", fixtureID(UInt64(index)), ["value": next]))
      // Equal values, however they are written, are no change for readers.
      if values[index] == next {
        #expect(result.changes.isEmpty, "\(values[index]) to \(next)")
        continue
      }
      let told = try store.read { try $0.history(after: result.number - 1) }.first?.changes.first
      let change = try #require(told)
      #expect(change.oldValues?.first?.value.isSame(as: values[index]) == true, "\(values[index])")
      #expect(change.newValues?.first?.value.isSame(as: next) == true, "\(next)")
    }
    try expectValues(store, type, shift: 1)
    try temporary.check()
  }

  @Test(arguments: FieldType.allCases) func `writing the value that is there changes nothing, bit by bit`(
    type: FieldType
  ) throws {
    try withTemporaryStore(schema: schema(type)) { store throws in
      try fill(store, type)
      let names = try FixtureNames(store)
      let number = try store.read { try $0.lastTransactionNumber }
      let values = values(type)
      for (index, value) in values.enumerated() where !value.isUnordered {
        let result = try store.save(names.update("Box", fixtureID(UInt64(index)), ["value": value]))
        #expect(result.number == 0 && result.changes.isEmpty, "\(value)")
      }
      #expect(try store.read { try $0.lastTransactionNumber } == number)
    }
  }

  @Test(arguments: FieldType.allCases) func `a deleted record's value is told, where the schema preserves it`(
    type: FieldType
  ) throws {
    // References are no attributes, of which alone values are preserved.
    guard type != .reference else { return }
    try withTemporaryStore(schema: schema(type)) { store throws in
      try fill(store, type)
      let names = try FixtureNames(store)
      for (index, value) in values(type).enumerated() {
        let result = try store.save(names.delete("Box", fixtureID(UInt64(index))))
        let told = try store.read { try $0.history(after: result.number - 1) }.first?.changes.first?.preserved ?? []
        #expect(told.first.map { $0.value.isSame(as: value) } ?? (value == .null), "\(value)")
      }
    }
  }
}

extension FieldValue {
  /// Whether it is not-a-number, which is not equal to itself.
  fileprivate var isUnordered: Bool { self != self }
}
