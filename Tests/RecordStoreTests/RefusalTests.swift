import RecordStore
import TestSupport
import Testing

/// A save that breaks a rule at several records is refused for one of them. Which one depends on the records alone: not
/// on the order of the save, and not on how many of its changes were taken without a look at their rules.
///
/// It went wrong: the two ways of a save met the records in another order, so that each told of another one. Random
/// saves rarely break one rule twice, and then mostly at records of one entity, whose messages are the same.
struct RefusalTests {
  @Test(arguments: [false, true])
  func `a save that says more than one file for other devices takes is refused, and nothing is there of it`(
    plainly: Bool
  ) throws {
    let stored = try TemporaryStore { configuration in
      configuration.savesPlainly = plainly
      configuration.maximumTransactionBytes = 400
    }
    let names = try FixtureNames(stored.store)
    let short = names.insert("Trip", fixtureID(1), ["name": .string("short")])
    let long = names.insert("Trip", fixtureID(2), ["name": .string(String(repeating: "long ", count: 100))])
    #expect(storeErrorCode { try stored.store.save(short, long) } == .invalidRequest)
    #expect(try stored.store.read { try $0.lastTransactionNumber } == 0)
    try stored.store.save(short)
    #expect(try stored.store.isVisible("Trip", fixtureID(1)) && !stored.store.isVisible("Trip", fixtureID(2)))
    try stored.check()
  }

  @Test func `of several references that name nothing, the least record's is told`() throws {
    try expectOneRefusal(.recordNotFound, telling: "Stop.trip") { names in
      [
        names.insert("Photo", fixtureID(30), ["album": .reference(fixtureID(99)), "code": .int(1)]),
        names.insert("Caption", fixtureID(20), ["text": .string("text"), "photo": .reference(fixtureID(30))]),
        names.insert("Stop", fixtureID(40), ["title": .string("stop"), "trip": .reference(fixtureID(98))]),
        names.insert("Caption", fixtureID(10), ["text": .string("text"), "photo": .reference(fixtureID(97))]),
      ]
    }
  }

  @Test func `of several deletes that are denied, the least record's is told`() throws {
    try expectOneRefusal(.deleteDenied, telling: "a record of City") { names in
      [
        names.delete("Album", fixtureID(2)), names.delete("City", fixtureID(1)),
        names.update("Photo", fixtureID(4), ["code": .int(7)]), names.update("Stop", fixtureID(5), ["next": .null]),
      ]
    }
  }

  @Test func `of several records that would be below themselves, the least one is told`() throws {
    try expectOneRefusal(.invalidRequest, telling: "Album.above") { names in
      [
        names.update("Folder", fixtureID(6), ["above": .reference(fixtureID(6))]),
        names.update("Album", fixtureID(2), ["above": .reference(fixtureID(2))]),
      ]
    }
  }

  @Test func `of several records that lack what they need, the least one is told`() throws {
    try expectOneRefusal(.countViolation, telling: "Album.keeper") { names in
      [
        names.update("Folder", fixtureID(6), ["keeper": .null]), names.update("Album", fixtureID(2), ["keeper": .null]),
      ]
    }
  }

  @Test func `of several records with too few links, the least id's is told`() throws {
    try expectOneRefusal(.countViolation, telling: "Choir.songs") { names in
      [names.insert("Choir", fixtureID(20)), names.insert("Band", fixtureID(15)), names.insert("Choir", fixtureID(10))]
    }
  }

  /// Carries out the changes in every order and by both ways: all are refused, in the same words.
  private func expectOneRefusal(
    _ code: StoreError.Code, telling text: String, _ changes: (FixtureNames) -> [RecordChange]
  ) throws {
    let pair = try TwoWays(.refusals)
    let names = try FixtureNames(pair.plain.stores[0].store)
    let keeper = FieldValue.reference(fixtureID(7))
    let known = [
      names.insert("City", fixtureID(1), ["name": .string("city")]), names.insert("Person", fixtureID(7)),
      names.insert("Album", fixtureID(2), ["name": .string("album"), "keeper": keeper]),
      names.insert("Folder", fixtureID(6), ["keeper": keeper]),
      names.insert("Trip", fixtureID(3), ["name": .string("trip")]),
      names.insert("Photo", fixtureID(4), ["album": .reference(fixtureID(2)), "code": .int(1)]),
      names.insert(
        "Stop", fixtureID(5),
        ["title": .string("stop"), "trip": .reference(fixtureID(3)), "city": .reference(fixtureID(1))]),
    ]
    _ = try pair.save(SaveRequest(changes: known), on: 0)
    #expect(pair.last.refusal == nil)
    let fillers = (0..<4 as Range<UInt64>).map { names.insert("Tag", fixtureID(200 + $0), ["name": .string("\($0)")]) }
    let broken = changes(names)
    var messages: Set<String> = []
    for order in Array(broken.indices).permutations {
      _ = try pair.save(SaveRequest(changes: fillers + order.map { broken[$0] }), on: 0)
      #expect(pair.last.refusal?.code == code)
      messages.insert(pair.last.refusal?.message ?? "")
    }
    #expect(messages.count == 1 && messages.allSatisfy { $0.contains(text) }, "\(messages)")
    try pair.check()
  }
}

extension StoreSchema {
  /// The one of plain saves, with each rule by which saves are refused at two entities.
  fileprivate static var refusals: StoreSchema {
    var schema = StoreSchema.plainSaves(hasDeny: true)
    let bound: (String) -> [RelationshipDefinition] = { entity in
      [
        RelationshipDefinition(name: "above", destination: entity, inverse: "below"),
        RelationshipDefinition(
          name: "below", destination: entity, isToMany: true, deleteRule: .cascade, inverse: "above"),
        RelationshipDefinition(name: "keeper", destination: "Person", minimumCount: 1),
      ]
    }
    for index in schema.entities.indices where schema.entities[index].name == "Album" {
      schema.entities[index].relationships[0].deleteRule = .deny
      schema.entities[index].relationships += bound("Album")
    }
    schema.entities.append(EntityDefinition(name: "Folder", attributes: [], relationships: bound("Folder")))
    for name in ["Band", "Choir"] {
      schema.entities.append(
        EntityDefinition(
          name: name, attributes: [],
          relationships: [
            RelationshipDefinition(name: "songs", destination: "Note", isToMany: true, minimumCount: 1)
          ]))
    }
    return schema
  }
}
