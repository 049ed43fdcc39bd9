import TestSupport
import Testing

@testable import RecordStore

/// What readers see is a function of the facts: the section "What is visible" of the Invariants article as a table,
/// each row with its facts at once, one after another from the last to the first, and each in its parts.
struct VisibilityRuleTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let title: String
    let facts: [String]
    /// What readers see, as ``RuleScript`` has it.
    let shows: [String]
    var testDescription: String { title }

    init(_ title: String, _ facts: [String], shows: [String]) {
      (self.title, self.facts, self.shows) = (title, facts, shows)
    }
  }

  private static let trip = "Trip 1 inserted touch=1 name=a@1"
  private static let deadTrip = "Trip 1 inserted touch=1 delete=5 name=a@1"
  private static let city = "City 5 inserted touch=1 name=c@1"
  private static let deadCity = "City 5 inserted touch=1 delete=5 name=c@1"

  static let alone: [Row] = [
    Row("inserted and alive", [trip], shows: ["Trip 1 name=a"]),
    Row("never inserted", ["Trip 1 touch=1 name=a@1"], shows: []),
    Row("inserted and never touched", ["Note 1 inserted text=a@1"], shows: ["Note 1 text=a"]),
    Row("deleted", [deadTrip], shows: []),
    Row("deleted before it was touched last", ["Trip 1 inserted touch=6 delete=5 name=a@1"], shows: ["Trip 1 name=a"]),
    Row("deleted at the time of the touch", ["Trip 1 inserted touch=5 delete=5 name=a@1"], shows: []),
    Row(
      "deleted, and a value written later without a touch", ["Trip 1 inserted touch=1 delete=5 name=a@1 rating=5@6"],
      shows: []),
    Row("deleted, never touched", ["Note 1 inserted delete=5"], shows: []),
    Row("deleted, never inserted, touched later", ["Trip 1 touch=6 delete=5 name=a@6"], shows: []),
    Row("a value that was never written reads as its default", ["Trip 1 inserted touch=1"], shows: ["Trip 1"]),
  ]

  static let required: [Row] = [
    Row(
      "what is required is there", [trip, "Stop 3 inserted touch=2 trip=#1@2"],
      shows: ["Trip 1 name=a stops=#3", "Stop 3 trip=#1"]),
    Row("what is required never came", ["Stop 3 inserted touch=2 trip=#1@2"], shows: []),
    Row(
      "what is required was only heard of", ["Trip 1 touch=1 name=a@1", "Stop 3 inserted touch=2 trip=#1@2"],
      shows: []),
    Row("what is required was deleted", [deadTrip, "Stop 3 inserted touch=2 trip=#1@2"], shows: []),
    Row("what is required is nil", [trip, "Stop 3 inserted touch=2 trip=nil@2"], shows: ["Trip 1 name=a"]),
    Row("what is required was never given", [trip, "Stop 3 inserted touch=2"], shows: ["Trip 1 name=a"]),
    Row(
      "a record of another entity has the id",
      ["City 1 inserted touch=1 name=a@1", "Stop 3 inserted touch=2 trip=#1@2"],
      shows: ["City 1 name=a"]),
    Row(
      "a touch below a deleted record counts as its own, where it would go along",
      [deadTrip, "Stop 3 inserted touch=6 trip=#1@6"], shows: ["Trip 1 name=a stops=#3", "Stop 3 trip=#1"]),
    Row(
      "and brings all others back that hang on it",
      [deadTrip, "Stop 3 inserted touch=6 trip=#1@6", "Stop 4 inserted touch=2 trip=#1@2 position=1@2"],
      shows: ["Trip 1 name=a stops=#3,#4", "Stop 3 trip=#1", "Stop 4 position=1 trip=#1"]),
    Row(
      "but not one that was deleted itself",
      [deadTrip, "Stop 3 inserted touch=6 trip=#1@6", "Stop 4 inserted touch=2 delete=5 trip=#1@2 position=1@2"],
      shows: ["Trip 1 name=a stops=#3", "Stop 3 trip=#1"]),
    Row(
      "a touch below that is dead itself counts for nothing", [deadTrip, "Stop 3 inserted touch=6 delete=7 trip=#1@6"],
      shows: []),
    Row(
      "a touch below that never was inserted counts for nothing", [deadTrip, "Stop 3 touch=6 trip=#1@6"], shows: []),
    Row(
      "moved to another record, it goes with that one",
      [deadTrip, "Trip 2 inserted touch=1 name=b@1", "Stop 3 inserted touch=6 trip=#2@6"],
      shows: ["Trip 2 name=b stops=#3", "Stop 3 trip=#2"]),
    Row(
      "a one-to-one under a cascade counts, too", [deadTrip, "Pass 8 inserted touch=6 trip=#1@6"],
      shows: ["Trip 1 name=a pass=#8", "Pass 8 trip=#1"]),
    Row(
      "and goes along, though the reference is optional", [deadTrip, "Pass 8 inserted touch=2 trip=#1@2"], shows: []),
  ]

  static let optional: [Row] = [
    Row(
      "an optional reference to a living record", [trip, city, "Stop 3 inserted touch=2 trip=#1@2 city=#5@2"],
      shows: ["Trip 1 name=a stops=#3", "Stop 3 trip=#1 city=#5", "City 5 name=c stops=#3"]),
    Row(
      "an optional reference to what never came reads as nil", [trip, "Stop 3 inserted touch=2 trip=#1@2 next=#4@2"],
      shows: ["Trip 1 name=a stops=#3", "Stop 3 trip=#1"]),
    Row(
      "an optional reference to what was deleted reads as nil",
      [trip, "Stop 3 inserted touch=2 trip=#1@2 next=#4@2", "Stop 4 inserted touch=2 delete=5 trip=#1@2 position=1@2"],
      shows: ["Trip 1 name=a stops=#3", "Stop 3 trip=#1"]),
    Row(
      "two records may name each other",
      [
        trip, "Stop 3 inserted touch=2 trip=#1@2 next=#4@2", "Stop 4 inserted touch=2 trip=#1@2 position=1@2 next=#3@2",
      ],
      shows: [
        "Trip 1 name=a stops=#3,#4", "Stop 3 trip=#1 next=#4 previous=#4",
        "Stop 4 position=1 trip=#1 next=#3 previous=#3",
      ]),
    Row(
      "the later one of two has a one-to-one",
      [trip, "Pass 8 inserted touch=2 trip=#1@2", "Pass 9 inserted touch=3 trip=#1@3"],
      shows: ["Trip 1 name=a pass=#9", "Pass 8", "Pass 9 trip=#1"]),
    Row(
      "whichever id is greater", [trip, "Pass 8 inserted touch=3 trip=#1@3", "Pass 9 inserted touch=2 trip=#1@2"],
      shows: ["Trip 1 name=a pass=#8", "Pass 8 trip=#1", "Pass 9"]),
    Row(
      "where the later one is dead the earlier one has it",
      [trip, "Pass 8 inserted touch=2 trip=#1@2", "Pass 9 inserted touch=3 delete=4 trip=#1@3"],
      shows: ["Trip 1 name=a pass=#8", "Pass 8 trip=#1"]),
  ]

  static let denied: [Row] = [
    Row(
      "a living holder under a rule of deny voids the delete",
      [trip, deadCity, "Stop 3 inserted touch=2 trip=#1@2 city=#5@2"],
      shows: ["Trip 1 name=a stops=#3", "Stop 3 trip=#1 city=#5", "City 5 name=c stops=#3"]),
    Row(
      "a dead holder does not", [trip, deadCity, "Stop 3 inserted touch=2 delete=4 trip=#1@2 city=#5@2"],
      shows: ["Trip 1 name=a"]),
    Row(
      "nor one that goes with what it hangs on", [deadTrip, deadCity, "Stop 3 inserted touch=2 trip=#1@2 city=#5@2"],
      shows: []),
    Row(
      "one that waits for a record does, for it lives", [deadCity, "Stop 3 inserted touch=2 trip=#1@2 city=#5@2"],
      shows: ["City 5 name=c"]),
    Row(
      "one that never was inserted does not", [trip, deadCity, "Stop 3 touch=2 trip=#1@2 city=#5@2"],
      shows: ["Trip 1 name=a"]),
    Row(
      "nor one that let go", [trip, deadCity, "Stop 3 inserted touch=2 trip=#1@2 city=nil@6"],
      shows: ["Trip 1 name=a stops=#3", "Stop 3 trip=#1"]),
  ]

  private static let all = alone + required + optional + denied

  @Test(arguments: all) func `readers see what the facts say`(row: Row) throws {
    try withTemporaryStore { store throws in
      let script = try RuleScript(store)
      try store.restore(FactScript(names: script.names).restored(row.facts))
      #expect(try script.records(of: store) == row.shows)
    }
  }

  /// One fact after another: what came first is looked at again when more is known.
  @Test(arguments: all) func `readers see what the facts say, whenever each came`(row: Row) throws {
    try withTemporaryStore { store throws in
      let script = try RuleScript(store)
      for line in row.facts.reversed() {
        try store.restore(FactScript(names: script.names).restored([line]))
        try expectSound(store)
      }
      #expect(try script.records(of: store) == row.shows)
    }
  }

  /// Each fact of a record apart: its insert, its touch, its delete, each value.
  @Test(arguments: all) func `facts of one record that come apart are joined`(row: Row) throws {
    try withTemporaryStore { store throws in
      let script = try RuleScript(store)
      let facts = FactScript(names: script.names)
      for line in row.facts {
        for part in facts.facts(line).parts.reversed() {
          var batch = facts.restored([])
          batch.records = [part]
          try store.restore(batch)
        }
      }
      #expect(try script.records(of: store) == row.shows)
      // Once more, all of it: nothing is new.
      try store.restore(facts.restored(row.facts))
      #expect(try script.records(of: store) == row.shows)
    }
  }

  @Test func `what is restored leaves no transaction, and counts as seen`() throws {
    try withTemporaryStore { store throws in
      let facts = FactScript(names: try FixtureNames(store))
      try store.restore(facts.restored([Self.trip]))
      try store.read { snapshot throws in
        #expect(try snapshot.lastTransactionNumber == 0)
        #expect(try snapshot.versionVector.sequence(of: FactScript.author) == 9)
        #expect(try snapshot.clockStamp >= FactScript.stamp(1_000))
      }
      let names = try FixtureNames(store)
      let result = try store.save(names.update("Trip", fixtureID(1), ["rating": .int(5)]))
      #expect(result.stamp > FactScript.stamp(1_000), "a save comes after all that was restored")
    }
  }

  @Test func `facts from the end of time are refused, with the reason`() throws {
    try withTemporaryStore { store throws in
      let names = try FixtureNames(store)
      let late = Stamp(epoch: .max, wallMilliseconds: 1, counter: 0, replica: FactScript.author)
      var facts = RecordFacts(entity: names.entity("Note"), id: fixtureID(1), isInserted: true, touch: late)
      facts.set(.double(1), at: names.ordinal("Note", "x"), stamp: late)
      let batch = RestoredFacts(records: [facts])
      let error = #expect(throws: StoreError.self) { try store.restore(batch) }
      #expect(error?.code == .damaged)
      #expect(error?.message.contains("at the end of what clocks can count to") == true)
      #expect(try !store.isVisible("Note", fixtureID(1)))
    }
  }
}

extension RecordFacts {
  /// The facts one by one.
  fileprivate var parts: [RecordFacts] {
    var parts: [RecordFacts] = []
    func add(_ edit: (inout RecordFacts) -> Void) {
      var part = RecordFacts(entity: entity, id: id)
      edit(&part)
      parts.append(part)
    }
    if isInserted { add { $0.isInserted = true } }
    if let touch { add { $0.touch = touch } }
    if let deleted { add { $0.deleted = deleted } }
    for register in registers { add { $0.registers = [register] } }
    return parts
  }
}
