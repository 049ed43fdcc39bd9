import Foundation
import RecordStore

/// Accounts whose sum never changes, and one entry for each transfer: what a crash must not tear.
struct Bank {
  static let accountCount = 20
  static let openingBalance: Int64 = 1000

  static let schema = StoreSchema(entities: [
    EntityDefinition(
      name: "Account",
      attributes: [AttributeDefinition(name: "name", type: .string), AttributeDefinition(name: "balance", type: .int)],
      uniquenessConstraints: [["name"]], indexes: [IndexDefinition("balance")]),
    EntityDefinition(
      name: "Entry",
      attributes: [
        AttributeDefinition(name: "writer", type: .int), AttributeDefinition(name: "serial", type: .int),
        AttributeDefinition(name: "note", type: .string),
      ],
      uniquenessConstraints: [["writer", "serial"]]),
  ])

  let store: RecordStore

  init(path: String, isReadOnly: Bool = false) throws {
    let configuration = StoreConfiguration(
      url: URL(fileURLWithPath: path, isDirectory: true), isReadOnly: isReadOnly, timeoutSeconds: 60)
    store = try RecordStore.open(configuration, schema: isReadOnly ? nil : Self.schema)
  }

  func createAccounts() throws {
    _ = try store.commit { snapshot in
      let account = try Self.entity("Account", snapshot.catalogue)
      let changes = try (0..<Self.accountCount).map { index in
        RecordChange.insert(
          entity: account.number, id: RecordIDGenerator.shared.next(),
          fields: [
            try Self.write("name", .string("account \(index)"), account),
            try Self.write("balance", .int(Self.openingBalance), account),
          ])
      }
      return (SaveRequest(changes: changes), 0)
    }
  }

  /// Moves money between two accounts and enters it in the books, in one save.
  func transfer(writer: Int64, serial: Int64) throws {
    _ = try store.commit { snapshot in
      let account = try Self.entity("Account", snapshot.catalogue)
      let entry = try Self.entity("Entry", snapshot.catalogue)
      let accounts = try snapshot.fetch(RecordQuery(entity: account.number)).shuffled()
      guard accounts.count == Self.accountCount else { throw Failure("\(accounts.count) accounts are left") }
      let amount = Int64.random(in: 1...100)
      let note = String(repeating: "n", count: Int.random(in: 0...300))
      let changes = [
        try Self.deposit(-amount, accounts[0], account), try Self.deposit(amount, accounts[1], account),
        .insert(
          entity: entry.number, id: RecordIDGenerator.shared.next(),
          fields: [
            try Self.write("writer", .int(writer), entry), try Self.write("serial", .int(serial), entry),
            try Self.write("note", .string(note), entry),
          ]),
      ]
      return (SaveRequest(author: "writer \(writer)", changes: changes), 0)
    }
  }

  /// The books of one snapshot; throws when the sum is wrong.
  func audit() throws -> Audit {
    try store.read { snapshot in
      let account = try Self.entity("Account", snapshot.catalogue)
      let entry = try Self.entity("Entry", snapshot.catalogue)
      let balance = try Self.field("balance", account)
      let sum = try snapshot.fetch(RecordQuery(entity: account.number)).reduce(into: Int64(0)) { sum, image in
        guard case .int(let value) = image.value(of: balance) else { throw Failure("an account has no balance") }
        sum += value
      }
      let expected = Self.openingBalance * Int64(Self.accountCount)
      if sum != expected { throw Failure("the sum of all accounts is \(sum), not \(expected)") }
      return Audit(
        entries: try snapshot.count(RecordQuery(entity: entry.number)),
        transaction: try snapshot.lastTransactionNumber)
    }
  }

  struct Audit {
    var entries: Int
    var transaction: UInt64
  }

  /// The serials of one writer that are in the books.
  func serials(of writer: Int64) throws -> Set<Int64> {
    try store.read { snapshot in
      let entry = try Self.entity("Entry", snapshot.catalogue)
      let filter = RecordFilter.compare(FieldPath(try Self.field("writer", entry).ordinal), .equal, .int(writer))
      let serial = try Self.field("serial", entry)
      return try Set(
        snapshot.fetch(RecordQuery(entity: entry.number, filter: filter)).compactMap { image in
          guard case .int(let value) = image.value(of: serial) else { return nil }
          return value
        })
    }
  }

  private static func deposit(
    _ amount: Int64, _ image: RecordImage, _ account: CatalogueEntity
  ) throws -> RecordChange {
    guard case .int(let balance) = image.value(of: try field("balance", account)) else {
      throw Failure("an account has no balance")
    }
    return .update(
      entity: account.number, id: image.id, fields: [try write("balance", .int(balance + amount), account)])
  }

  static func entity(_ name: String, _ catalogue: Catalogue) throws -> CatalogueEntity {
    guard let entity = catalogue.entity(named: name) else { throw Failure("the store has no entity \(name)") }
    return entity
  }

  static func field(_ name: String, _ entity: CatalogueEntity) throws -> CatalogueField {
    guard let field = entity.field(named: name) else { throw Failure("\(entity.name) has no field \(name)") }
    return field
  }

  static func write(_ name: String, _ value: FieldValue, _ entity: CatalogueEntity) throws -> FieldWrite {
    FieldWrite(try field(name, entity).ordinal, value)
  }
}
