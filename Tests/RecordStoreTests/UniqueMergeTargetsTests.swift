import RecordStore
import TestSupport
import Testing

/// What records that a new unique constraint makes one refer to, and the partners that they have.
struct UniqueMergeTargetsTests {
  /// How a record refers to its home.
  enum Reference: CaseIterable {
    case optional, optionalCascade, optionalDeny, required, requiredCascade, requiredDeny

    var definition: RelationshipDefinition {
      let isOptional = [.optional, .optionalCascade, .optionalDeny].contains(self)
      let rule: DeleteRule =
        switch self {
        case .optional, .required: .nullify
        case .optionalCascade, .requiredCascade: .cascade
        case .optionalDeny, .requiredDeny: .deny
        }
      return RelationshipDefinition(name: "home", destination: "Home", isOptional: isOptional, deleteRule: rule)
    }
  }

  private func schema(_ reference: Reference, isUnique: Bool) -> StoreSchema {
    StoreSchema(entities: [
      EntityDefinition(
        name: "Person", attributes: [AttributeDefinition(name: "email", type: .string)],
        relationships: [reference.definition], uniquenessConstraints: isUnique ? [["email"]] : []),
      EntityDefinition(name: "Home"),
    ])
  }

  private func fillHomes(_ store: RecordStore) throws {
    let names = try FixtureNames(store)
    for id in 1...3 as ClosedRange<UInt64> {
      try store.save(
        names.insert("Home", fixtureID(10 + id)),
        names.insert("Person", fixtureID(id), ["email": .string("a"), "home": .reference(fixtureID(10 + id))]))
    }
  }

  private func expectHomes(_ store: RecordStore) throws {
    #expect(try (1...3).filter { try store.isVisible("Person", fixtureID($0)) } == [1])
    #expect(try (11...13).filter { try store.isVisible("Home", fixtureID($0)) } == [11, 12, 13])
    #expect(try store.value("Person", fixtureID(1), "home") == .reference(fixtureID(13)))
  }

  // The delete of the records that go took along what they refer to, where that cannot be nil first, and the record
  // that stays could not take it over: the migration was refused. Tests had such a reference in optional form alone.
  @Test(arguments: Reference.allCases)
  func `what the others refer to stays, whatever the delete rule`(reference: Reference) throws {
    try withTemporaryStore(schema: schema(reference, isUnique: false)) { store throws in
      try fillHomes(store)
      try store.migrate(to: schema(reference, isUnique: true))
      try expectHomes(store)
    }
  }

  @Test(arguments: Reference.allCases)
  func `devices that migrate apart end equal, with what the others refer to`(reference: Reference) throws {
    let family = try ReplicaFamily(count: 2, schema: schema(reference, isUnique: false))
    try fillHomes(family.stores[0].store)
    try family.exchangeAll()
    for store in family.stores { try store.store.migrate(to: schema(reference, isUnique: true)) }
    try family.exchangeAll()
    #expect(try family.dump(0) == family.dump(1))
    for store in family.stores { try expectHomes(store.store) }
    try family.check()
  }

  /// The link lies with the account, whose name comes first; the profile cannot be without it.
  private func accounts(isUnique: Bool) -> StoreSchema {
    StoreSchema(entities: [
      EntityDefinition(
        name: "Account", attributes: [AttributeDefinition(name: "email", type: .string)],
        relationships: [RelationshipDefinition(name: "profile", destination: "Profile", inverse: "owner")],
        uniquenessConstraints: isUnique ? [["email"]] : []),
      EntityDefinition(
        name: "Profile",
        relationships: [
          RelationshipDefinition(name: "owner", destination: "Account", isOptional: false, inverse: "profile")
        ]),
    ])
  }

  private func fillAccounts(_ store: RecordStore, withProfile owners: Set<UInt64>) throws {
    let names = try FixtureNames(store)
    for id in 1...3 as ClosedRange<UInt64> {
      guard owners.contains(id) else {
        try store.save(names.insert("Account", fixtureID(id), ["email": .string("a")]))
        continue
      }
      try store.save(
        names.insert("Profile", fixtureID(10 + id)),
        names.insert("Account", fixtureID(id), ["email": .string("a"), "profile": .reference(fixtureID(10 + id))]))
    }
  }

  // The profile was deleted with the account that goes, without a word, or stayed without the account that it needs.
  @Test(arguments: [1, 2, 3] as [UInt64])
  func `a partner that cannot be without one belongs to the record that stays`(owner: UInt64) throws {
    try withTemporaryStore(schema: accounts(isUnique: false)) { store throws in
      try fillAccounts(store, withProfile: [owner])
      try store.migrate(to: accounts(isUnique: true))
      #expect(try store.isVisible("Profile", fixtureID(10 + owner)))
      #expect(try store.value("Account", fixtureID(1), "profile") == .reference(fixtureID(10 + owner)))
    }
  }

  @Test(arguments: [[1, 2], [2, 3], [1, 3]] as [Set<UInt64>])
  func `two partners of which neither can be without one are refused`(owners: Set<UInt64>) throws {
    try withTemporaryStore(schema: accounts(isUnique: false)) { store throws in
      try fillAccounts(store, withProfile: owners)
      let error = #expect(throws: StoreError.self) { try store.migrate(to: accounts(isUnique: true)) }
      #expect(error?.code == .incompatibleSchema)
      #expect(error?.message.contains("more than one of them has a Profile") == true, "\(error?.message ?? "")")
      #expect(try (1...3).allSatisfy { try store.isVisible("Account", fixtureID($0)) })
      #expect(try owners.allSatisfy { try store.isVisible("Profile", fixtureID(10 + $0)) })
    }
  }

  private func persons(isUnique: Bool) -> StoreSchema {
    StoreSchema(entities: [
      EntityDefinition(
        name: "Person", attributes: [AttributeDefinition(name: "email", type: .string)],
        relationships: [
          RelationshipDefinition(name: "passport", destination: "Passport", deleteRule: .cascade, inverse: "owner")
        ],
        uniquenessConstraints: isUnique ? [["email"]] : []),
      EntityDefinition(
        name: "Passport",
        relationships: [RelationshipDefinition(name: "owner", destination: "Person", inverse: "passport")]),
    ])
  }

  // Of three equal records the third one's only partner was taken for a second one.
  @Test(arguments: [[1], [2], [3], [1, 2], [1, 3], [2, 3]] as [Set<UInt64>])
  func `one partner of several records goes over, and two are refused`(owners: Set<UInt64>) throws {
    try withTemporaryStore(schema: persons(isUnique: false)) { store throws in
      let names = try FixtureNames(store)
      for id in 1...3 as ClosedRange<UInt64> {
        try store.save(names.insert("Person", fixtureID(id), ["email": .string("a")]))
      }
      for owner in owners {
        try store.save(names.insert("Passport", fixtureID(10 + owner), ["owner": .reference(fixtureID(owner))]))
      }
      guard let owner = owners.first, owners.count == 1 else {
        let error = #expect(throws: StoreError.self) { try store.migrate(to: persons(isUnique: true)) }
        #expect(error?.code == .incompatibleSchema)
        return
      }
      try store.migrate(to: persons(isUnique: true))
      #expect(try store.value("Passport", fixtureID(10 + owner), "owner") == .reference(fixtureID(1)))
    }
  }

  private func tree(isUnique: Bool, greatestCount: Int = 0) -> StoreSchema {
    StoreSchema(entities: [
      EntityDefinition(
        name: "Node", attributes: [AttributeDefinition(name: "name", type: .string)],
        relationships: [
          RelationshipDefinition(name: "parent", destination: "Node", inverse: "children"),
          RelationshipDefinition(
            name: "children", destination: "Node", isToMany: true, deleteRule: .cascade, inverse: "parent",
            maximumCount: greatestCount),
        ],
        uniquenessConstraints: isUnique ? [["name"]] : [])
    ])
  }

  private func plant(_ store: RecordStore, _ nodes: [(id: UInt64, name: String, parent: UInt64?)]) throws {
    let names = try FixtureNames(store)
    for (id, name, parent) in nodes {
      let link = parent.map { FieldValue.reference(fixtureID($0)) } ?? .null
      try store.save(names.insert("Node", fixtureID(id), ["name": .string(name), "parent": link]))
    }
  }

  // The record that stays was to lie in itself, which a save refuses: no store with such objects could be updated.
  @Test(arguments: [(1, 2), (2, 1)] as [(UInt64, UInt64)], [nil, 5] as [UInt64?])
  func `a record in another one of its name lies where that one did`(
    ids: (outer: UInt64, inner: UInt64), root: UInt64?
  ) throws {
    try withTemporaryStore(schema: tree(isUnique: false)) { store throws in
      try plant(
        store,
        [(5, "root", nil), (ids.outer, "a", root), (ids.inner, "a", ids.outer), (3, "b", ids.inner)])
      try store.migrate(to: tree(isUnique: true))
      #expect(try [1, 2, 3, 5].filter { try store.isVisible("Node", fixtureID($0)) } == [1, 3, 5])
      let parent = root.map { FieldValue.reference(fixtureID($0)) } ?? .null
      #expect(try store.value("Node", fixtureID(1), "parent") == parent)
      #expect(try store.value("Node", fixtureID(3), "parent") == .reference(fixtureID(1)))
    }
  }

  @Test func `what cannot become one is refused with the remedy`() throws {
    let circle: [(UInt64, String, UInt64?)] = [(1, "a", nil), (3, "b", 1), (2, "a", 3)]
    let crowd: [(UInt64, String, UInt64?)] = [(1, "a", nil), (2, "a", nil), (3, "b", 1), (4, "c", 2)]
    for (nodes, count) in [(circle, 0), (crowd, 1)] {
      try withTemporaryStore(schema: tree(isUnique: false, greatestCount: count)) { store throws in
        try plant(store, nodes)
        let error = #expect(throws: StoreError.self) {
          try store.migrate(to: tree(isUnique: true, greatestCount: count))
        }
        #expect(error?.code == .incompatibleSchema)
        #expect(error?.message.contains("records of Node share a value") == true, "\(error?.message ?? "")")
        #expect(error?.message.contains("merge them in a stage") == true, "\(error?.message ?? "")")
        #expect(try nodes.allSatisfy { try store.isVisible("Node", fixtureID($0.0)) })
      }
    }
  }
}
