import Foundation
import TestSupport
import Testing

@testable import RecordStore

/// What a field reads as, by what was written to it and by how it is declared, whichever way it is read: a field that a
/// record never got reads as its default.
struct FieldStateTests {
  /// What a record holds in the field.
  enum State: String, CaseIterable, Sendable { case neverWritten, null, value }

  struct Declaration: Sendable, CustomTestStringConvertible {
    let isOptional: Bool
    let defaultValue: FieldValue?
    var testDescription: String {
      "\(isOptional ? "optional" : "required"), default \(defaultValue.map { "\($0)" } ?? "none")"
    }

    /// The article's rule: the default; without one, nil or the type's zero.
    func reads(_ state: State) -> FieldValue {
      switch state {
      case .value: .int(5)
      case .null where isOptional: .null
      default: defaultValue ?? (isOptional ? .null : .int(0))
      }
    }
  }

  static let declarations =
    [true, false].flatMap { isOptional in
      [nil, FieldValue.int(7), .int(0)].map { Declaration(isOptional: isOptional, defaultValue: $0) }
    } + [Declaration(isOptional: true, defaultValue: .null)]

  /// Version 1 has a box with a label; version 2 gives it a size.
  private func schema(_ version: Int, _ size: AttributeDefinition?, isIndexed: Bool) -> StoreSchema {
    let label = AttributeDefinition(name: "label", type: .string)
    return StoreSchema(
      version: SchemaVersion(version, 0, 0),
      entities: [
        EntityDefinition(
          name: "Box", attributes: [label] + (size.map { [$0] } ?? []),
          indexes: isIndexed && size != nil ? [IndexDefinition("size"), IndexDefinition("size", "label")] : [])
      ])
  }

  /// One box in each state, by number.
  private func fill(_ store: RecordStore, _ declaration: Declaration, isIndexed: Bool, isSparse: Bool) throws {
    try store.save(FixtureNames(store).insert("Box", fixtureID(0), ["label": .string("old")]))
    let size = AttributeDefinition(
      name: "size", type: .int, isOptional: declaration.isOptional, defaultValue: declaration.defaultValue,
      isSparse: isSparse)
    try store.migrate(to: schema(2, size, isIndexed: isIndexed))
    let names = try FixtureNames(store)
    if declaration.isOptional {
      try store.save(names.insert("Box", fixtureID(1), ["label": .string("null"), "size": .null]))
    }
    try store.save(names.insert("Box", fixtureID(2), ["label": .string("value"), "size": .int(5)]))
  }

  private func expected(_ declaration: Declaration) -> [(id: RecordID, value: FieldValue)] {
    State.allCases.enumerated().filter { $0.element != .null || declaration.isOptional }.map {
      (fixtureID(UInt64($0.offset)), declaration.reads($0.element))
    }
  }

  @Test(arguments: declarations, [true, false])
  func `a field reads the same by every way`(declaration: Declaration, isIndexed: Bool) throws {
    try withTemporaryStore(schema: schema(1, nil, isIndexed: false)) { store throws in
      try fill(store, declaration, isIndexed: isIndexed, isSparse: false)
      let (expected, ordinal) = (expected(declaration), try FixtureNames(store).ordinal("Box", "size"))
      let path = FieldPath(ordinal)
      for (id, value) in expected { #expect(try store.value("Box", id, "size") == value) }
      try store.read { snapshot throws in
        // Found by the value that it reads as, and by no other.
        for probe in [FieldValue.null, .int(0), .int(5), .int(7), .int(1)] {
          let ids = expected.filter { $0.value == probe }.map(\.id)
          #expect(try snapshot.identifiers(RecordQuery(entity: 0, filter: .compare(path, .equal, probe))) == ids)
          #expect(try snapshot.identifiers(RecordQuery(entity: 0, filter: .oneOf(path, [probe, .int(99)]))) == ids)
          let others = expected.filter { $0.value != probe }.map(\.id)
          #expect(try snapshot.identifiers(RecordQuery(entity: 0, filter: .compare(path, .notEqual, probe))) == others)
        }
        let less = expected.filter { if case .int(let number) = $0.value { number < 6 } else { false } }.map(\.id)
        #expect(try snapshot.identifiers(RecordQuery(entity: 0, filter: .compare(path, .less, .int(6)))) == less)
        // Sorted by it, nil first.
        func rank(_ value: FieldValue) -> Int64 { if case .int(let number) = value { number } else { .min } }
        for isDescending in [false, true] {
          let sorted = expected.sorted { left, right in
            let (a, b) = (rank(left.value), rank(right.value))
            if a == b { return left.id < right.id }
            return isDescending ? a > b : a < b
          }
          for limit in [nil, 10] {
            let sort = [RecordQuery.SortKey(path, isDescending: isDescending)]
            #expect(try snapshot.identifiers(RecordQuery(entity: 0, sort: sort, limit: limit)) == sorted.map(\.id))
          }
        }
      }
    }
  }

  /// A save of the value that a field reads as already changes nothing for readers, whether it was written or not.
  @Test(arguments: declarations) func `writing what a field reads as is no change for readers`(
    declaration: Declaration
  ) throws {
    try withTemporaryStore(schema: schema(1, nil, isIndexed: false)) { store throws in
      try fill(store, declaration, isIndexed: true, isSparse: false)
      let names = try FixtureNames(store)
      for (id, value) in expected(declaration) where value != .null || declaration.isOptional {
        let result = try store.save(names.update("Box", id, ["size": value]))
        #expect(result.changes.isEmpty, "\(id.low) with \(value)")
        #expect(try store.value("Box", id, "size") == value)
      }
    }
  }

  /// A new record gets every field, a sparse one only what it is given; both read alike.
  @Test(arguments: declarations, [true, false])
  func `a new record without a value reads the default`(declaration: Declaration, isSparse: Bool) throws {
    try withTemporaryStore(schema: schema(1, nil, isIndexed: false)) { store throws in
      try fill(store, declaration, isIndexed: true, isSparse: isSparse)
      let names = try FixtureNames(store)
      try store.save(names.insert("Box", fixtureID(9), ["label": .string("new")]))
      #expect(try store.value("Box", fixtureID(9), "size") == declaration.reads(.neverWritten))
      let facts = try #require(try store.read { try $0.facts(fixtureID(9), of: 0) })
      #expect((facts.register(at: names.ordinal("Box", "size")) == nil) == isSparse)
      // What was there before the field never got it.
      let old = try #require(try store.read { try $0.facts(fixtureID(0), of: 0) })
      #expect(old.register(at: names.ordinal("Box", "size")) == nil)
    }
  }

  /// A default of null was one thing in the process that declared it and none in the file: each opening migrated anew.
  @Test func `a default of nil is no default, so an opening with the same schema changes nothing`() throws {
    let size = AttributeDefinition(name: "size", type: .int, isOptional: true, defaultValue: .null)
    let temporary = try TemporaryStore(schema: schema(1, size, isIndexed: true))
    let before = try temporary.store.read { $0.catalogue }
    #expect(before.entities[0].field(named: "size")?.defaultValue == nil)
    for _ in 1...2 {
      let again = try RecordStore.open(temporary.configuration, schema: schema(1, size, isIndexed: true))
      #expect(again.migrations.isEmpty)
      #expect(try again.read { $0.catalogue } == before)
    }
    try temporary.check()
  }

  // MARK: Changes of the declaration

  /// From one declaration to another: what each state reads then, or that the store is refused.
  static let changes: [(from: Declaration, to: Declaration, reads: [State: FieldValue]?)] = [
    (
      Declaration(isOptional: true, defaultValue: nil), Declaration(isOptional: false, defaultValue: .int(7)),
      [.neverWritten: .int(7), .null: .int(7), .value: .int(5)]
    ),
    // Nothing could stand in for what is missing.
    (Declaration(isOptional: true, defaultValue: nil), Declaration(isOptional: false, defaultValue: nil), nil),
    (
      Declaration(isOptional: false, defaultValue: nil), Declaration(isOptional: true, defaultValue: nil),
      [.neverWritten: .null, .value: .int(5)]
    ),
    (
      Declaration(isOptional: true, defaultValue: .int(7)), Declaration(isOptional: true, defaultValue: .int(7)),
      [.neverWritten: .int(7), .null: .null, .value: .int(5)]
    ),
    // The first default stays, since `UUID()` or `Date.now` is another in each process.
    (
      Declaration(isOptional: true, defaultValue: .int(7)), Declaration(isOptional: true, defaultValue: .int(8)),
      [.neverWritten: .int(7), .null: .null, .value: .int(5)]
    ),
    (
      Declaration(isOptional: false, defaultValue: .int(7)), Declaration(isOptional: false, defaultValue: .int(8)),
      [.neverWritten: .int(7), .value: .int(5)]
    ),
  ]

  @Test(arguments: changes) func `a field that is declared otherwise reads by its new declaration`(
    from: Declaration, to: Declaration, reads: [State: FieldValue]?
  ) throws {
    try withTemporaryStore(schema: schema(1, nil, isIndexed: false)) { store throws in
      try fill(store, from, isIndexed: true, isSparse: false)
      let size = AttributeDefinition(
        name: "size", type: .int, isOptional: to.isOptional, defaultValue: to.defaultValue)
      let next = schema(3, size, isIndexed: true)
      let before = try store.read { $0.catalogue }
      guard let reads else {
        #expect(storeErrorCode { try store.migrate(to: next) } == .incompatibleSchema)
        #expect(try store.read { $0.catalogue } == before)
        return
      }
      try store.migrate(to: next)
      for (number, state) in State.allCases.enumerated() where state != .null || from.isOptional {
        #expect(try store.value("Box", fixtureID(UInt64(number)), "size") == reads[state], "\(state)")
      }
    }
  }
}
