import LMDB

/// One catalogue with all that follows from it: tables and rules. Immutable, shared by every snapshot that
/// finds the same generation in the file.
package final class StoreLayout: Sendable {
  package let catalogue: Catalogue
  package let databases: NamedDatabases
  let rules: [EntityRules]
  /// By entity number and ordinal; nil for fields that a unique index does not hold alone.
  let uniqueFields: [[UniqueField?]]
  /// Whether somewhere a living record protects another: only then does the life of invisible ones matter.
  let hasDenyRules: Bool
  /// Whether records can contain each other.
  let hasContainingRules: Bool
  /// Whether some relationship limits the number of its links.
  let hasCountRules: Bool
  /// How many bytes the list of databases has for the state and the tail of history, and is still one page.
  let freeListByteCount: Int
  /// Per entity the ordinals of its fields of type `data`.
  let dataOrdinals: [[Int]]
  /// Per entity and ordinal whether large values lie beside the store. Values in keys of indexes stay in the record.
  let keepsApart: [[Bool]]
  let hasDataFields: Bool

  init(catalogue: Catalogue, databases: NamedDatabases) {
    self.catalogue = catalogue
    self.databases = databases
    rules = EntityRules.all(of: catalogue)
    uniqueFields = UniqueField.all(of: catalogue, databases)
    hasCountRules = rules.contains { $0.references.contains(where: \.countsHolders) }
    hasContainingRules = rules.contains { $0.references.contains(where: \.isContaining) }
    hasDenyRules = rules.contains { $0.references.contains(where: \.isDeny) }
    freeListByteCount = NamedDatabases.freeListByteCount(for: catalogue)
    dataOrdinals = catalogue.entities.map { $0.fields.filter { $0.type == .data }.map(\.ordinal) }
    hasDataFields = dataOrdinals.contains { !$0.isEmpty }
    keepsApart = catalogue.entities.map { entity in
      let indexed = Set(entity.indexes.flatMap { $0.components.map(\.ordinal) })
      return entity.fields.map { $0.type == .data && $0.isStoredExternally && !indexed.contains($0.ordinal) }
    }
  }

  /// Writes a catalogue and makes the tables that it needs.
  static func create(_ catalogue: Catalogue, in transaction: borrowing WriteTransaction) throws -> StoreLayout {
    // A local function cannot capture the borrowed transaction, so names are resolved first.
    var databases: [String: Database] = [:]
    for name in NamedDatabases.names(for: catalogue) + NamedDatabases.addedNames {
      databases[name] = try transaction.createDatabase(named: name)
    }
    let named = NamedDatabases(of: catalogue, databases)
    try transaction.put(named.meta, key: CatalogueTable.key, value: try CatalogueTable.encode(catalogue))
    return StoreLayout(catalogue: catalogue, databases: named)
  }

  /// With entities that another device knows, and their tables.
  func adding(
    _ additions: [EntityDefinition], in transaction: borrowing WriteTransaction
  ) throws -> StoreLayout {
    if additions.isEmpty { return self }
    let catalogue = catalogue.adding(additions)
    return catalogue == self.catalogue ? self : try .create(catalogue, in: transaction)
  }

  /// Finds the tables of a catalogue that the file holds.
  static func open(_ catalogue: Catalogue, in environment: Environment) throws -> StoreLayout {
    var databases: [String: Database] = [:]
    let names = NamedDatabases.names(for: catalogue)
    let wanted = names + NamedDatabases.addedNames
    for (name, database) in zip(wanted, try environment.databases(named: wanted)) { databases[name] = database }
    if let missing = names.first(where: { databases[$0] == nil }) {
      throw StoreError(
        .damaged, "the store at \(environment.path) lacks its table \(missing): restore it from a copy or by sync")
    }
    return StoreLayout(catalogue: catalogue, databases: NamedDatabases(of: catalogue, databases))
  }
}

extension Catalogue {
  /// Whether a field's values are in the keys of an index: then they stay in the record, however large they are.
  package func isInIndex(_ ordinal: Int, of entity: EntityNumber) -> Bool {
    entities.indices.contains(entity)
      && entities[entity].indexes.contains { $0.components.contains { $0.ordinal == ordinal } }
  }
}
