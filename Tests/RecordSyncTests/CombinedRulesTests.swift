import Foundation
import RecordStore
import TestSupport
import Testing

@testable import RecordSync

/// Records that unique values, containment and one-to-one references all rule at once, with lost values that are
/// restored, dead records that are forgotten and runs with a bound in between. The simulator's oracle knows no
/// containment; here the integrity check works out anew what must be visible, and all devices must end equal.
struct CombinedRulesTests {
  private static let schema = StoreSchema(entities: [
    EntityDefinition(
      name: "Folder",
      attributes: [
        AttributeDefinition(name: "name", type: .string),
        AttributeDefinition(name: "code", type: .string, isOptional: true),
        AttributeDefinition(name: "note", type: .string, isOptional: true),
      ],
      relationships: [
        RelationshipDefinition(
          name: "children", destination: "Folder", isToMany: true, deleteRule: .cascade, inverse: "parent"),
        RelationshipDefinition(name: "parent", destination: "Folder", inverse: "children"),
        RelationshipDefinition(name: "kept", destination: "Folder", deleteRule: .cascade, inverse: "keeper"),
        RelationshipDefinition(name: "keeper", destination: "Folder", inverse: "kept"),
        RelationshipDefinition(
          name: "items", destination: "Item", isToMany: true, deleteRule: .cascade, inverse: "folder"),
        RelationshipDefinition(name: "pins", destination: "Item", isToMany: true, deleteRule: .deny, inverse: "board"),
      ],
      uniquenessConstraints: [["code"], ["parent", "name"]]),
    EntityDefinition(
      name: "Item", attributes: [AttributeDefinition(name: "title", type: .string)],
      relationships: [
        RelationshipDefinition(name: "folder", destination: "Folder", isOptional: false, inverse: "items"),
        RelationshipDefinition(name: "board", destination: "Folder", inverse: "pins"),
      ],
      uniquenessConstraints: [["folder", "title"]]),
  ])

  private struct Work {
    var generator: SeededGenerator
    var folders: [RecordID] = []
    var items: [RecordID] = []
    var steps: [String] = []

    mutating func reference(_ ids: [RecordID]) -> FieldValue {
      guard !generator.oneIn(3), let id = ids.randomElement(using: &generator) else { return .null }
      return .reference(id)
    }

    mutating func change(_ names: FixtureNames) -> RecordChange {
      let folder = folders.randomElement(using: &generator)
      let item = items.randomElement(using: &generator)
      let new = fixtureID(UInt64(folders.count + items.count + 1))
      let word = FieldValue.string(generator.pick(["a", "b", "c"]))
      switch (Int.random(in: 0..<14, using: &generator), folder, item) {
      case (0, let folder?, _): return names.update("Folder", folder, ["name": word])
      case (1, let folder?, _): return names.update("Folder", folder, ["code": generator.oneIn(4) ? .null : word])
      case (2, let folder?, _), (3, let folder?, _):
        return names.update("Folder", folder, ["parent": reference(folders)])
      case (4, let folder?, _), (5, let folder?, _):
        return names.update("Folder", folder, ["keeper": reference(folders)])
      case (6, let folder?, _): return names.update("Folder", folder, ["note": word])
      case (7, let folder?, _): return names.delete("Folder", folder)
      case (8, let folder?, _), (9, let folder?, _):
        items.append(new)
        return names.insert(
          "Item", new, ["title": word, "folder": .reference(folder), "board": reference(folders)])
      case (10, let folder?, let item?):
        return names.update("Item", item, ["folder": .reference(folder), "board": reference(folders)])
      case (11, _, let item?): return names.delete("Item", item)
      default:
        var values = ["name": word, "parent": reference(folders), "keeper": reference(folders)]
        values["code"] = generator.oneIn(2) ? .null : word
        folders.append(new)
        return names.insert("Folder", new, values)
      }
    }
  }

  @Test(arguments: 0..<4) func `devices end equal where many rules meet in one record`(round: Int) async throws {
    try await play(SeededGenerator.announced("many rules, round \(round)"))
  }

  @Test(arguments: 0..<3) func `devices of which one was copied end equal where many rules meet in one record`(
    round: Int
  ) async throws {
    try await play(SeededGenerator.announced("many rules and a copy, round \(round)"), isCopied: true)
  }

  /// `isCopied`: on the way the first device becomes two, which both go on under one replica id.
  private func play(_ generator: SeededGenerator, isCopied: Bool = false) async throws {
    var work = Work(generator: generator)
    var replicas = try (0..<3).map { _ in try TestReplica(clock: ManualClock(), schema: Self.schema) }
    for number in 0..<90 {
      if isCopied, number == 30 {
        replicas.append(try TestReplica(copyOf: replicas[0], schema: Self.schema))
        work.steps.append("3 is a copy of 0")
      }
      let index = Int.random(in: replicas.indices, using: &work.generator)
      try await step(on: replicas[index], index, replicas, &work)
    }
    try await settle(replicas, work.steps)
    for index in replicas.indices { try restoreAll(on: replicas[index], index, &work) }
    try await settle(replicas, work.steps)
  }

  private func step(
    on replica: TestReplica, _ index: Int, _ replicas: [TestReplica], _ work: inout Work
  ) async throws {
    replica.clock.advance(byMilliseconds: UInt64.random(in: 0...3, using: &work.generator))
    switch Int.random(in: 0..<20, using: &work.generator) {
    case 0..<4:
      let other = (index + Int.random(in: 1..<replicas.count, using: &work.generator)) % replicas.count
      work.steps.append("\(index) sends to \(other)")
      try await replica.send(to: replicas[other])
      try expectSound(replicas[other].store)
    case 4:
      let other = (index + 1) % replicas.count
      work.steps.append("\(index) sends to \(other), which takes one file")
      _ = try await replica.engine { $0.changeSetBytes = 1 }.export()
      _ = try ExchangeCopy(source: replica.exchange, target: replicas[other].exchange).run()
      _ = try await replicas[other].engine { $0.maximumBytes = 1 }.import()
      try expectSound(replicas[other].store)
    case 5:
      guard let entry = try ConflictLog(store: replica.store).entries().randomElement(using: &work.generator) else {
        return
      }
      try restore(entry, on: replica, index, &work)
    case 6 where work.generator.oneIn(3):
      work.steps.append("\(index) collects")
      _ = try await replica.engine().collect()
    case 7 where work.generator.oneIn(4):
      let isAhead = work.generator.oneIn(2)
      work.steps.append("\(index)'s clock is \(isAhead ? "ahead" : "back")")
      replica.clock.milliseconds = isAhead ? 1_800_400_000_000 : 1_799_600_000_000
    default:
      let change = work.change(replica.names)
      do {
        try replica.save(change)
        work.steps.append("\(index): \(change)")
      } catch let error as StoreError where error.code != .damaged {
        // The device does not know the record, or the rules do not allow it.
        return
      }
      try expectSound(replica.store)
    }
  }

  private func restore(_ entry: Conflict, on replica: TestReplica, _ index: Int, _ work: inout Work) throws {
    work.steps.append("\(index) restores \(entry)")
    do {
      try ConflictLog(store: replica.store).restore(entry.id)
    } catch let error as SyncError where error.code == .notRestorable {
      work.steps.append("which is not restorable")
    } catch let error as StoreError where error.code != .damaged {
      work.steps.append("which the rules refuse: \(error.code)")
    }
    try expectSound(replica.store)
  }

  private func restoreAll(on replica: TestReplica, _ index: Int, _ work: inout Work) throws {
    let log = ConflictLog(store: replica.store)
    for entry in try log.entries().shuffled(using: &work.generator).prefix(5) {
      // Another one may have brought it back.
      guard try log.entries().contains(where: { $0.id == entry.id }) else { continue }
      try restore(entry, on: replica, index, &work)
    }
  }

  private func settle(_ replicas: [TestReplica], _ steps: [String]) async throws {
    for _ in 0..<4 { try await exchange(replicas) }
    let dumps = try replicas.map { try CanonicalDump.lines(of: $0.store, includesDead: false) }
    for (replica, dump) in zip(replicas, dumps) {
      #expect(dump == dumps[0], "\(steps.joined(separator: "\n"))")
      try expectSound(replica.store)
    }
  }
}
