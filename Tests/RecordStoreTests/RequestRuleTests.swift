import Foundation
import TestSupport
import Testing

@testable import RecordStore

/// Saves that contradict the catalogue or the records, each with its code and its sentence, by the short way and by the
/// general one: both give the same refusal, and leave the store as it was.
struct RequestRuleTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let title: String
    let before: [String]
    let changes: @Sendable (FixtureNames) -> [RecordChange]
    let code: StoreError.Code
    let message: String
    var testDescription: String { title }

    init(
      _ title: String, after before: [String] = [], code: StoreError.Code = .invalidRequest, _ message: String,
      _ changes: @escaping @Sendable (FixtureNames) -> [RecordChange]
    ) {
      self.title = title
      (self.before, self.changes, self.code, self.message) = (before, changes, code, message)
    }
  }

  private static let trip = "insert Trip 1 name=a"
  private static let (one, two, three) = (fixtureID(1), fixtureID(2), fixtureID(3))

  static let contradictions: [Row] = [
    Row("an entity that is not there", "the store has no declared entity with number 99") { _ in
      [.insert(entity: 99, id: one, fields: [])]
    },
    Row("a negative entity", "the store has no declared entity with number -1") { _ in
      [.update(entity: -1, id: one, fields: [])]
    },
    Row("a delete of an entity that is not there", "the store has no declared entity with number 99") { _ in
      [.delete(entity: 99, id: one)]
    },
    Row("a field that is not there", "Tag has no declared field with ordinal 77") { names in
      [.insert(entity: names.entity("Tag"), id: one, fields: [FieldWrite(77, .int(1))])]
    },
    Row("a negative field", "Tag has no declared field with ordinal -1") { names in
      [.insert(entity: names.entity("Tag"), id: one, fields: [FieldWrite(-1, .int(1))])]
    },
    Row(
      "a field that is not there, in an update", after: ["insert Tag 1 name=a"],
      "Tag has no declared field with ordinal 77"
    ) {
      names in [.update(entity: names.entity("Tag"), id: one, fields: [FieldWrite(77, .int(1))])]
    },
    Row("a value of another type", "Trip.rating is of type int and cannot take a value of type string") { names in
      [names.insert("Trip", one, ["name": .string("a"), "rating": .string("5")])]
    },
    Row(
      "a value of another type, in an update", after: [trip],
      "Trip.rating is of type int and cannot take a value of type double"
    ) { names in [names.update("Trip", one, ["rating": .double(5)])] },
    Row("nil for what is required", "Trip.name is required: give it a value") { names in
      [names.insert("Trip", one, ["name": .null])]
    },
    Row("nil for what is required, in an update", after: [trip], "Trip.rating is required: give it a value") { names in
      [names.update("Trip", one, ["rating": .null])]
    },
    Row("a required reference that is not given", "Stop.trip is required: give it a value") { names in
      [names.insert("Stop", three, ["title": .string("a")])]
    },
    Row(
      "a required reference that is taken away", after: [trip, "insert Stop 3 trip=#1"],
      "Stop.trip is required: give it a value"
    ) {
      names in [names.update("Stop", three, ["trip": .null])]
    },
    Row("a link of a relationship that has no links", after: [trip], "Trip.stops is not a many-to-many relationship") {
      names in [names.link("Trip", one, "stops", three)]
    },
    Row("a link of a relationship that is not there", after: [trip], "Trip.friends is not a many-to-many relationship")
    {
      names in [names.link("Trip", one, "friends", three)]
    },
  ]

  static let missing: [Row] = [
    Row(
      "an update of a record that never was", code: .recordNotFound,
      "the record \(one) of Trip is gone, somebody deleted it: fetch again"
    ) {
      names in [names.update("Trip", one, ["rating": .int(1)])]
    },
    Row(
      "an update of a record that was deleted", after: [trip, "delete Trip 1"], code: .recordNotFound,
      "the record \(one) of Trip is gone, somebody deleted it: fetch again"
    ) { names in [names.update("Trip", one, ["rating": .int(1)])] },
    Row(
      "an update of a record of another entity", after: ["insert Tag 1 name=a"], code: .recordNotFound,
      "the record \(one) of Trip is gone, somebody deleted it: fetch again"
    ) { names in [names.update("Trip", one, ["rating": .int(1)])] },
    Row(
      "an update behind the delete of the same save", after: [trip], code: .recordNotFound,
      "the record \(one) of Trip is gone, somebody deleted it: fetch again"
    ) { names in [names.delete("Trip", one), names.update("Trip", one, ["rating": .int(1)])] },
    Row(
      "an update among sound changes", after: [trip], code: .recordNotFound,
      "the record \(two) of Trip is gone, somebody deleted it: fetch again"
    ) { names in
      [
        names.insert("Tag", three, ["name": .string("x")]), names.update("Trip", two, ["rating": .int(1)]),
        names.update("Trip", one, ["rating": .int(1)]),
      ]
    },
    Row(
      "a required reference to a record that was deleted", after: [trip, "delete Trip 1"], code: .recordNotFound,
      "Stop.trip names a record that somebody deleted: fetch again and choose another"
    ) { names in [names.insert("Stop", three, ["trip": .reference(one)])] },
    Row(
      "a required reference to a record that never was", code: .recordNotFound,
      "Stop.trip names a record that is not there, or somebody deleted it: fetch again and choose another"
    ) { names in [names.insert("Stop", three, ["trip": .reference(one)])] },
    Row(
      "a reference under a rule of deny to a record that was deleted",
      after: [trip, "insert City 5 name=x", "delete City 5"],
      code: .recordNotFound, "Stop.city names a record that somebody deleted: fetch again and choose another"
    ) { names in [names.insert("Stop", three, ["trip": .reference(one), "city": .reference(fixtureID(5))])] },
    Row(
      "a reference under a rule of deny to a record that never was", after: [trip], code: .recordNotFound,
      "Stop.city names a record that is not there: fetch again and choose another"
    ) { names in [names.insert("Stop", three, ["trip": .reference(one), "city": .reference(fixtureID(5))])] },
  ]

  static let rules: [Row] = [
    Row(
      "an update to a taken value", after: [trip, "insert Trip 2 name=b"], code: .uniquenessViolation,
      "the save gives a unique value of Trip.name to a record while another has it: change one of them"
    ) { names in [names.update("Trip", two, ["name": .string("a")])] },
    Row(
      "an update to a value that is the same to Swift", after: ["insert Trip 1 name=\u{E9}", "insert Trip 2 name=b"],
      code: .uniquenessViolation,
      "the save gives a unique value of Trip.name to a record while another has it: change one of them"
    ) { names in [names.update("Trip", two, ["name": .string("e\u{301}")])] },
    Row(
      "a delete against a rule of deny", after: [trip, "insert City 5 name=x", "insert Stop 3 trip=#1 city=#5"],
      code: .deleteDenied,
      "a record of City cannot be deleted while others refer to it under a rule of deny: delete or change those first"
    ) { names in [names.delete("City", fixtureID(5))] },
    Row(
      "more links than are allowed",
      after: ["insert Person 1 name=a; insert Note 11; insert Note 12; insert Note 13; insert Note 14"],
      code: .countViolation,
      "Person.notes of a record would lead to 4 records of Note where 0 to 3 are allowed: change the links"
    ) { names in
      (11...14).map { names.update("Note", fixtureID($0), ["~Person.notes": .reference(one)]) }
    },
  ]

  @Test(arguments: contradictions + missing + rules, [true, false])
  func `a save that cannot be is refused in a sentence and changes nothing`(row: Row, savesPlainly: Bool) throws {
    let temporary = try TemporaryStore { $0.savesPlainly = savesPlainly }
    let store = temporary.store
    let script = try RuleScript(store)
    for save in row.before { _ = try store.commit(SaveRequest(changes: script.changes(save))) }
    let (records, head) = (try script.records(of: store), try store.read { try CopyHead($0) })
    let error = #expect(throws: StoreError.self) {
      try store.commit(SaveRequest(changes: row.changes(script.names)))
    }
    #expect(error?.code == row.code)
    #expect(error?.message == row.message)
    #expect(try script.records(of: store) == records)
    #expect(try store.read { try CopyHead($0) } == head)
    try temporary.check()
  }

  /// A field takes values of its own type and nothing else; nil where it is optional.
  @Test(arguments: FieldType.allCases, [true, false])
  func `a field takes values of its own type alone`(type: FieldType, savesPlainly: Bool) throws {
    let schema = StoreSchema(entities: [
      EntityDefinition(
        name: "Box",
        attributes: type == .reference ? [] : [AttributeDefinition(name: "value", type: type, isOptional: true)],
        relationships: type == .reference ? [RelationshipDefinition(name: "value", destination: "Box")] : [])
    ])
    let temporary = try TemporaryStore(schema: schema) { $0.savesPlainly = savesPlainly }
    let (store, names) = (temporary.store, try FixtureNames(temporary.store))
    try store.save(names.insert("Box", fixtureID(1), ["value": .null]))
    for other in FieldType.allCases {
      let value = try #require(ValueLadder.of(other).values.map(\.value).first { $0 != .null })
      let changes = [
        names.insert("Box", fixtureID(2), ["value": value]), names.update("Box", fixtureID(1), ["value": value]),
      ]
      for change in changes {
        let code = storeErrorCode { try store.save(change) }
        // A reference leads wherever it leads: a record that is not there reads as nil.
        #expect(code == (other == type ? nil : .invalidRequest), "\(other) in \(type)")
        #expect(try other == type || store.value("Box", fixtureID(1), "value") == .null || type == .reference)
      }
      try store.save(names.update("Box", fixtureID(1), ["value": .null]))
      try store.save(names.delete("Box", fixtureID(2)))
    }
    try temporary.check()
  }

  /// A save without an effect is no transaction: history does not grow by it, and nobody hears of it.
  static let idle: [(title: String, before: [String], save: String)] = [
    ("no change", [], ""), ("a delete of what never was", [], "delete Trip 1"),
    ("a delete of what is deleted", [trip, "delete Trip 1"], "delete Trip 1"),
    ("an update with the values that are there", [trip], "update Trip 1 name=a rating=3"),
    ("an update of nothing", [trip], "update Trip 1"),
    ("a link that is there", [trip, "insert Tag 2 name=x", "link Trip 1 tags 2"], "link Trip 1 tags 2"),
    (
      "a link that is there, from the other side", [trip, "insert Tag 2 name=x", "link Trip 1 tags 2"],
      "link Tag 2 trips 1"
    ),
    ("no link where none is", [trip, "insert Tag 2 name=x"], "unlink Trip 1 tags 2"),
  ]

  @Test(arguments: idle, [true, false]) func `a save without an effect is no transaction`(
    row: (title: String, before: [String], save: String), savesPlainly: Bool
  ) throws {
    let temporary = try TemporaryStore { $0.savesPlainly = savesPlainly }
    let store = temporary.store
    let script = try RuleScript(store)
    for save in row.before { _ = try store.commit(SaveRequest(changes: script.changes(save))) }
    let last = try store.read { try $0.lastTransactionNumber }
    #expect(last == UInt64(row.before.count))
    let result = try store.commit(SaveRequest(author: "nobody", changes: script.changes(row.save)))
    #expect(result.number == 0 && result.changes.isEmpty && result.stamp == .zero)
    #expect(try store.read { try $0.lastTransactionNumber } == last)
    try temporary.check()
  }

  // MARK: Merges

  /// Which transactions a merge may bring: the next ones of one other replica.
  static let merges: [(title: String, sequences: [UInt64], code: StoreError.Code?)] = [
    ("all", [1, 2, 3], nil), ("the first", [1], nil), ("none", [], .invalidRequest), ("a gap", [2], .invalidRequest),
    ("a gap inside", [1, 3], .invalidRequest), ("backwards", [2, 1], .invalidRequest),
    ("one twice", [1, 1], .invalidRequest),
  ]

  @Test(arguments: merges) func `a merge goes on where the store stands`(
    title: String, sequences: [UInt64], code: StoreError.Code?
  ) throws {
    let family = try ReplicaFamily(count: 2)
    let names = try FixtureNames(family.stores[0].store)
    for number in 1...3 { try family.stores[1].store.save(names.insert("Note", fixtureID(UInt64(number)))) }
    let all = try family.outgoing(of: 1, after: 0)
    let chosen = sequences.map { all[Int($0) - 1] }
    #expect(storeErrorCode { try family.merge(chosen, into: 0) } == code)
    let store = family.stores[0].store
    let count = try store.read { try $0.count(RecordQuery(entity: names.entity("Note"))) }
    #expect(count == (code == nil ? sequences.count : 0))
    #expect(
      try store.read { try $0.lastTransactionNumber } == (code == nil ? 1 : 0), "one entry for all that is merged")
    try family.check()
  }

  @Test func `a merge brings nothing of the store's own, nor of two replicas at once`() throws {
    let family = try ReplicaFamily(count: 3)
    let names = try FixtureNames(family.stores[0].store)
    for device in 0...2 { try family.stores[device].store.save(names.insert("Note", fixtureID(UInt64(device)))) }
    let own = try family.outgoing(of: 0, after: 0)
    var repeated = own[0]
    repeated.dot = Dot(replica: own[0].dot.replica, sequence: 2)
    let next = repeated
    let error = #expect(throws: StoreError.self) { try family.merge([next], into: 0) }
    #expect(error?.code == .invalidRequest)
    #expect(error?.message == "a merge brings transactions of this store's own replica: renew its replica id")
    let both = try family.outgoing(of: 1, after: 0) + family.outgoing(of: 2, after: 0)
    #expect(storeErrorCode { try family.merge(both, into: 0) } == .invalidRequest)
    #expect(try family.stores[0].store.read { try $0.lastTransactionNumber } == 1)
    try family.check()
  }

  /// Facts of another device that contradict the catalogue: the store takes none of the transaction.
  static let facts: [(title: String, edit: @Sendable (inout RecordFacts) -> Void)] = [
    ("of an entity that is not there", { $0.entity = 99 }),
    ("with a field that is not there", { $0.set(.int(1), at: 77, stamp: $0.touch ?? .zero) }),
    ("with a value of another type", { $0.set(.int(1), at: 0, stamp: $0.touch ?? .zero) }),
    ("with a field twice", { $0.registers.append($0.registers[$0.registers.count - 1]) }),
    ("with fields that fall", { $0.registers.reverse() }),
  ]

  @Test(arguments: facts) func `facts that contradict the catalogue are refused whole`(
    title: String, edit: @escaping @Sendable (inout RecordFacts) -> Void
  ) throws {
    let family = try ReplicaFamily(count: 2)
    let names = try FixtureNames(family.stores[0].store)
    try family.stores[1].store.save(
      names.insert("Tag", fixtureID(1), ["name": .string("sound")]),
      names.insert("Note", fixtureID(2), ["text": .string("a")]))
    var transaction = try #require(try family.outgoing(of: 1, after: 0).first)
    let place = try #require(transaction.records.firstIndex { $0.id == fixtureID(2) })
    edit(&transaction.records[place])
    let edited = transaction
    #expect(storeErrorCode { try family.merge([edited], into: 0) } == .invalidRequest)
    #expect(try !family.stores[0].store.isVisible("Tag", fixtureID(1)))
    #expect(try family.stores[0].store.read { try $0.lastTransactionNumber } == 0)
    try family.check()
  }

  // MARK: Attachments

  /// What a request does to the bytes beside the records, in its order.
  static let attachments: [(title: String, requests: [[(String, [UInt8]?)]], left: [String: [UInt8]])] = [
    ("put", [[("a", [1])]], ["a": [1]]), ("put empty", [[("a", [])]], ["a": []]),
    ("put again", [[("a", [1])], [("a", [2, 3])]], ["a": [2, 3]]), ("removed", [[("a", [1])], [("a", nil)]], [:]),
    ("removed where there is none", [[("a", nil)]], [:]),
    ("twice in one request: the last", [[("a", [1]), ("a", [2])]], ["a": [2]]),
    ("put and removed in one request", [[("a", [1]), ("a", nil)]], [:]),
    ("a beginning is another key", [[("ab", [1]), ("a", [2])], [("a", nil)]], ["ab": [1]]),
  ]

  @Test(arguments: attachments) func `bytes beside the records are those of the last request`(
    title: String, requests: [[(String, [UInt8]?)]], left: [String: [UInt8]]
  ) throws {
    try withTemporaryStore { store throws in
      for request in requests {
        let attachments = request.map { StoreAttachment(key: Array($0.0.utf8), value: $0.1) }
        _ = try store.commit(SaveRequest(attachments: attachments))
      }
      var found: [String: [UInt8]] = [:]
      try store.read { snapshot throws in
        try snapshot.forEachAttachment(prefix: []) { key, value in
          found[String(decoding: key, as: UTF8.self)] = value
          return true
        }
      }
      #expect(found == left)
      #expect(try store.read { try $0.lastTransactionNumber } == 0, "they are no transactions")
    }
  }

  @Test func `a refused save leaves the bytes beside the records as they were`() throws {
    try withTemporaryStore { store throws in
      let names = try FixtureNames(store)
      let request = SaveRequest(
        changes: [names.update("Trip", fixtureID(1), ["rating": .int(1)])],
        attachments: [StoreAttachment(key: [1], value: [1])])
      #expect(storeErrorCode { _ = try store.commit(request) } == .recordNotFound)
      #expect(try store.read { try $0.attachment([1]) } == nil)
    }
  }
}
