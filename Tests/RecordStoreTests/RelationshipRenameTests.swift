import RecordStore
import TestSupport
import Testing

/// Relationships of each kind of storage, declared anew under other names.
///
/// Only fields kept their values through a rename at first: links of a to-many relationship without inverse and of a
/// many-to-many one lie under names made of the relationship's, and were left behind.
struct RelationshipRenameTests {
  private let owner = fixtureID(1)
  private let member = fixtureID(2)

  /// `suffix` is what the names end with, and those before ended with `earlier`.
  private func schema(_ suffix: String, earlier: String? = nil, isManyToMany: Bool, hasInverse: Bool) -> StoreSchema {
    let members = RelationshipDefinition(
      name: "members\(suffix)", originalName: earlier.map { "members\($0)" }, destination: "Member", isToMany: true,
      inverse: hasInverse ? "owner\(suffix)" : nil)
    let owner = RelationshipDefinition(
      name: "owner\(suffix)", originalName: earlier.map { "owner\($0)" }, destination: "Owner",
      isToMany: isManyToMany, inverse: "members\(suffix)")
    return StoreSchema(entities: [
      EntityDefinition(name: "Owner", relationships: [members]),
      EntityDefinition(name: "Member", relationships: hasInverse ? [owner] : []),
    ])
  }

  @Test(arguments: [(false, true), (true, true), (false, false)])
  func `links stay through two renames`(isManyToMany: Bool, hasInverse: Bool) throws {
    func version(_ suffix: String, earlier: String? = nil) -> StoreSchema {
      schema(suffix, earlier: earlier, isManyToMany: isManyToMany, hasInverse: hasInverse)
    }
    try withTemporaryStore(schema: version("A")) { store throws in
      let names = try FixtureNames(store)
      try store.save(names.insert("Owner", owner), names.insert("Member", member))
      if isManyToMany {
        try store.save(names.link("Owner", owner, "membersA", member))
      } else {
        let field = hasInverse ? "ownerA" : "~Owner.membersA"
        try store.save(names.update("Member", member, [field: .reference(owner)]))
      }
      for (suffix, earlier) in [("Z", "A"), ("B", "Z")] {
        try store.migrate(to: version(suffix, earlier: earlier))
        #expect(try store.related("Owner", owner, "members\(suffix)") == [member])
        if hasInverse { #expect(try store.related("Member", member, "owner\(suffix)") == [owner]) }
      }
      let renamed = try FixtureNames(store)
      if isManyToMany {
        try store.save(renamed.link("Member", member, "ownerB", owner, false))
      } else {
        try store.save(renamed.delete("Owner", owner))
      }
      #expect(try store.related("Owner", owner, "membersB").isEmpty)
    }
  }

  @Test func `a name without an original one begins without links`() throws {
    try withTemporaryStore(schema: schema("A", isManyToMany: true, hasInverse: true)) { store throws in
      let names = try FixtureNames(store)
      try store.save(
        names.insert("Owner", owner), names.insert("Member", member), names.link("Owner", owner, "membersA", member))
      try store.migrate(to: schema("B", isManyToMany: true, hasInverse: true))
      #expect(try store.related("Owner", owner, "membersB").isEmpty)
      try store.migrate(to: schema("A", isManyToMany: true, hasInverse: true))
      #expect(try store.related("Owner", owner, "membersA") == [member])
    }
  }
}
