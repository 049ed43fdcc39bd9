import LMDB

/// Which of the tables beside the rows have entries; in most stores most are empty, and what they could say need not be
/// asked.
struct SideTableFacts {
  let hasAliases: Bool
  let hasBackReferences: Bool
  let hasClaims: Bool
  let hasOriginals: Bool
  let hasPastWrites: Bool
  let hasHeldKeys: Bool

  init(_ layout: StoreLayout, _ view: TransactionView) throws {
    let databases = layout.databases
    func hasEntries(_ database: Database?) throws -> Bool {
      try database.map { try !view.isEmpty($0) } ?? false
    }
    hasAliases = try hasEntries(databases.aliases)
    hasBackReferences = try hasEntries(databases.backReferences)
    hasClaims = try hasEntries(databases.claims)
    hasOriginals = try hasEntries(databases.classTables?.originals)
    hasPastWrites = try hasEntries(databases.classTables?.pastWrites)
    hasHeldKeys = try hasEntries(databases.classTables?.heldKeys)
  }
}
