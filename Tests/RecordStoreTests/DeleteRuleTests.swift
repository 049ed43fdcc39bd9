import RecordStore
import TestSupport
import Testing

/// Each delete rule, declared on either side of each shape of relationship.
struct DeleteRuleTests {
  static let rules: [DeleteRule] = [.noAction, .nullify, .cascade, .deny]

  /// Owner ── members: one-to-many; `rule` is declared on one of the sides.
  private func schema(
    ownerRule: DeleteRule = .nullify, memberRule: DeleteRule = .nullify, ownerIsToMany: Bool = true,
    memberIsToMany: Bool = false
  ) -> StoreSchema {
    StoreSchema(entities: [
      EntityDefinition(
        name: "Owner", attributes: [AttributeDefinition(name: "name", type: .string, isOptional: true)],
        relationships: [
          RelationshipDefinition(
            name: "members", destination: "Member", isToMany: ownerIsToMany, deleteRule: ownerRule, inverse: "owner")
        ]),
      EntityDefinition(
        name: "Member", attributes: [AttributeDefinition(name: "name", type: .string, isOptional: true)],
        relationships: [
          RelationshipDefinition(
            name: "owner", destination: "Owner", isToMany: memberIsToMany, deleteRule: memberRule, inverse: "members")
        ]),
    ])
  }

  private let owner = fixtureID(1)
  private let member = fixtureID(2)

  /// A save compared each assignment with what readers saw before it, so that the second of two assignments of a
  /// reference that had read as nil was taken for no change, and the first one stayed.
  @Test func `a reference that read as nil can be set and taken away within one save`() throws {
    try withTemporaryStore(schema: schema()) { store throws in
      let names = try FixtureNames(store)
      let other = fixtureID(3)
      try store.save(
        names.insert("Owner", owner), names.insert("Owner", other),
        names.insert("Member", member, ["owner": .reference(owner)]))
      try store.save(names.delete("Owner", owner))
      #expect(try store.value("Member", member, "owner") == .null)
      try store.save(
        names.update("Member", member, ["owner": .reference(other)]),
        names.update("Member", member, ["owner": .null]))
      #expect(try store.value("Member", member, "owner") == .null)
    }
  }

  /// A delete in between works out what readers see, and the second assignment was compared with that.
  @Test func `a reference to what never came is taken away within the save that set it, also after a delete`() throws {
    try withTemporaryStore(schema: schema()) { store throws in
      let names = try FixtureNames(store)
      let unknown = fixtureID(3)
      try store.save(names.insert("Owner", owner), names.insert("Member", member))
      try store.save(
        names.update("Member", member, ["owner": .reference(unknown)]),
        names.delete("Owner", owner),
        names.update("Member", member, ["owner": .null]))
      try store.save(names.insert("Owner", unknown))
      #expect(try store.value("Member", member, "owner") == .null)
    }
  }

  @Test(arguments: rules)
  func `one-to-many, deleting the one`(rule: DeleteRule) throws {
    try withTemporaryStore(schema: schema(ownerRule: rule)) { store throws in
      let names = try FixtureNames(store)
      try store.save(names.insert("Owner", owner), names.insert("Member", member, ["owner": .reference(owner)]))
      try delete("Owner", owner, names, store, isDenied: rule == .deny)
      #expect(try store.isVisible("Owner", owner) == (rule == .deny))
      #expect(try store.isVisible("Member", member) == (rule != .cascade))
      if rule == .nullify || rule == .noAction { #expect(try store.value("Member", member, "owner") == .null) }
    }
  }

  @Test(arguments: rules)
  func `one-to-many, deleting one of the many`(rule: DeleteRule) throws {
    try withTemporaryStore(schema: schema(memberRule: rule)) { store throws in
      let names = try FixtureNames(store)
      try store.save(names.insert("Owner", owner), names.insert("Member", member, ["owner": .reference(owner)]))
      try delete("Member", member, names, store, isDenied: rule == .deny)
      #expect(try store.isVisible("Member", member) == (rule == .deny))
      #expect(try store.isVisible("Owner", owner) == (rule != .cascade))
      #expect(try store.related("Owner", owner, "members") == (rule == .deny ? [member] : []))
    }
  }

  @Test(arguments: rules, [true, false])
  func `one-to-one, from the storing and from the other side`(rule: DeleteRule, fromOwner: Bool) throws {
    let schema = schema(
      ownerRule: fromOwner ? rule : .nullify, memberRule: fromOwner ? .nullify : rule, ownerIsToMany: false)
    try withTemporaryStore(schema: schema) { store throws in
      let names = try FixtureNames(store)
      let storesOwner = names.catalogue.entity(named: "Member")?.field(named: "owner") != nil
      try store.save(
        names.insert("Owner", owner), names.insert("Member", member),
        storesOwner
          ? names.update("Member", member, ["owner": .reference(owner)])
          : names.update("Owner", owner, ["members": .reference(member)]))
      #expect(try store.related("Owner", owner, "members") == [member])
      #expect(try store.related("Member", member, "owner") == [owner])
      let (entity, id, otherEntity, other) =
        fromOwner ? ("Owner", owner, "Member", member) : ("Member", member, "Owner", owner)
      try delete(entity, id, names, store, isDenied: rule == .deny)
      #expect(try store.isVisible(entity, id) == (rule == .deny))
      #expect(try store.isVisible(otherEntity, other) == (rule != .cascade))
    }
  }

  @Test(arguments: rules, [true, false])
  func `many-to-many, from either side`(rule: DeleteRule, fromOwner: Bool) throws {
    let schema = schema(
      ownerRule: fromOwner ? rule : .nullify, memberRule: fromOwner ? .nullify : rule, memberIsToMany: true)
    try withTemporaryStore(schema: schema) { store throws in
      let names = try FixtureNames(store)
      let bystander = fixtureID(3)
      try store.save(
        names.insert("Owner", owner), names.insert("Member", member), names.insert("Member", bystander),
        names.insert("Owner", fixtureID(4)),
        names.link("Owner", owner, "members", member))
      let (entity, id, otherEntity, other) =
        fromOwner ? ("Owner", owner, "Member", member) : ("Member", member, "Owner", owner)
      try delete(entity, id, names, store, isDenied: rule == .deny)
      #expect(try store.isVisible(entity, id) == (rule == .deny))
      #expect(try store.isVisible(otherEntity, other) == (rule != .cascade))
      #expect(try store.isVisible("Member", bystander))
      let others = try store.related(otherEntity, other, fromOwner ? "owner" : "members")
      #expect(others == (rule == .deny ? [id] : []))
    }
  }

  @Test func `a chain of records that cascade to each other goes as a whole`() throws {
    let schema = StoreSchema(entities: [
      EntityDefinition(
        name: "Node",
        relationships: [
          RelationshipDefinition(
            name: "children", destination: "Node", isToMany: true, deleteRule: .cascade, inverse: "parent"),
          RelationshipDefinition(name: "parent", destination: "Node", inverse: "children"),
        ])
    ])
    try withTemporaryStore(schema: schema) { store throws in
      let names = try FixtureNames(store)
      let ids = (1...5).map { fixtureID($0) }
      for (index, id) in ids.enumerated() {
        try store.save(names.insert("Node", id, ["parent": index == 0 ? .null : .reference(ids[index - 1])]))
      }
      try store.save(names.delete("Node", ids[1]))
      for id in ids { #expect(try store.isVisible("Node", id) == (id == ids[0])) }
    }
  }

  /// Its rule was followed by recursion, and the stack was too small. With the one-to-one, rules look at the save.
  @Test func `records of a chain of any length that need each other show and go together`() throws {
    let schema = StoreSchema(entities: [
      EntityDefinition(
        name: "Node",
        relationships: [
          RelationshipDefinition(name: "after", destination: "Node", isToMany: true, inverse: "before"),
          RelationshipDefinition(name: "before", destination: "Node", isOptional: false, inverse: "after"),
          RelationshipDefinition(name: "left", destination: "Node", inverse: "right"),
          RelationshipDefinition(name: "right", destination: "Node", inverse: "left"),
        ])
    ])
    try withTemporaryStore(schema: schema) { store throws in
      let names = try FixtureNames(store)
      let ids = (1...20_000).map { fixtureID($0) }
      let changes = ids.indices.reversed().map { index in
        names.insert("Node", ids[index], ["before": .reference(ids[max(index - 1, 0)])])
      }
      _ = try store.commit(SaveRequest(changes: changes))
      #expect(try store.isVisible("Node", ids[19_999]))
    }
  }

  @Test func `what denies a delete may go in the same save`() throws {
    try withTemporaryStore(schema: schema(ownerRule: .deny)) { store throws in
      let names = try FixtureNames(store)
      try store.save(names.insert("Owner", owner), names.insert("Member", member, ["owner": .reference(owner)]))
      try store.save(names.delete("Owner", owner), names.delete("Member", member))
      #expect(try !store.isVisible("Owner", owner))
    }
  }

  @Test func `the number of linked records is held within its limits`() throws {
    try withTemporaryStore { store throws in
      let names = try FixtureNames(store)
      try store.save(names.insert("Person", fixtureID(1), ["name": .string("Ada")]))
      for number in 2...4 {
        try store.save(names.insert("Note", fixtureID(UInt64(number)), ["~Person.notes": .reference(fixtureID(1))]))
      }
      let error = #expect(throws: StoreError.self) {
        try store.save(names.insert("Note", fixtureID(5), ["~Person.notes": .reference(fixtureID(1))]))
      }
      #expect(error?.code == .countViolation)
      #expect(try store.related("Person", fixtureID(1), "notes").count == 3)
    }
  }

  @Test func `a to-one relationship with a minimum needs a target, also when its target is deleted`() throws {
    let schema = StoreSchema(entities: [
      EntityDefinition(name: "Owner", attributes: [AttributeDefinition(name: "name", type: .string)]),
      EntityDefinition(
        name: "Member", attributes: [AttributeDefinition(name: "name", type: .string)],
        relationships: [RelationshipDefinition(name: "owner", destination: "Owner", minimumCount: 1)]),
    ])
    try withTemporaryStore(schema: schema) { store throws in
      let names = try FixtureNames(store)
      func refused(_ changes: RecordChange...) {
        let error = #expect(throws: StoreError.self) { try store.commit(SaveRequest(changes: changes)) }
        #expect(error?.code == .countViolation)
        #expect(error?.message.contains("Member.owner") == true)
      }
      refused(names.insert("Member", member, ["name": .string("a")]))
      try store.save(names.insert("Owner", owner), names.insert("Member", member, ["owner": .reference(owner)]))
      refused(names.update("Member", member, ["owner": .null]))
      refused(names.delete("Owner", owner))
      try store.save(names.delete("Owner", owner), names.delete("Member", member))
      #expect(try !store.isVisible("Owner", owner))
    }
  }

  /// The targets that a record had and has were looked at in the order of a set of their ids.
  @Test func `equal saves leave equal histories, whatever the ids of their records are`() throws {
    var histories: Set<[String]> = []
    for round in 0..<24 as Range<UInt64> {
      try withTemporaryStore(schema: schema(ownerRule: .deny)) { store throws in
        let names = try FixtureNames(store)
        let ids = (0..<3).map { fixtureID(10 * round + $0) }
        try store.save(
          names.insert("Owner", ids[0]), names.insert("Owner", ids[1]),
          names.insert("Member", ids[2], ["owner": .reference(ids[0])]))
        try store.save(
          names.update("Member", ids[2], ["owner": .reference(ids[1])]), names.delete("Owner", ids[0]),
          names.update("Owner", ids[1], ["name": .string("a")]))
        var history: [String] = []
        try store.read { snapshot in
          try snapshot.forEachChange(after: 0, except: []) {
            history.append("\($0.kind) \(ids.firstIndex(of: $0.id) ?? 3)")
          }
        }
        histories.insert(history)
      }
    }
    #expect(histories.count == 1)
  }

  private func delete(
    _ entity: String, _ id: RecordID, _ names: FixtureNames, _ store: RecordStore, isDenied: Bool
  ) throws {
    guard isDenied else {
      try store.save(names.delete(entity, id))
      return
    }
    let error = #expect(throws: StoreError.self) { try store.save(names.delete(entity, id)) }
    #expect(error?.code == .deleteDenied)
  }
}
