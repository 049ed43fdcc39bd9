import RecordStore

/// Equality of a field with a value, or another comparison: what a look-up in the ledger asks for.
struct LedgerCondition {
  let field: String
  let comparison: RecordFilter.Comparison
  let value: FieldValue

  init(_ field: String, _ value: some LedgerValue) { self.init(field, .equal, value) }

  init(_ field: String, _ comparison: RecordFilter.Comparison, _ value: some LedgerValue) {
    self.field = field
    self.comparison = comparison
    self.value = value.fieldValue
  }
}

// Typed reading of the ledger's records.
extension StoreSnapshot {
  func find<Record: LedgerRecord>(_ type: Record.Type, _ id: RecordID) throws -> Record? {
    let entity = try ledgerEntity(type)
    return try record(id, of: entity.number).map { try Record($0, entity) }
  }

  /// All records that meet every condition, in the order of a field, or of their ids.
  func list<Record: LedgerRecord>(
    _ type: Record.Type, _ conditions: [LedgerCondition] = [], by order: String? = nil, isDescending: Bool = false,
    limit: Int? = nil
  ) throws -> [Record] {
    let entity = try ledgerEntity(type)
    let filter = try conditions.map { condition in
      RecordFilter.compare(try entity.path(condition.field), condition.comparison, condition.value)
    }
    let sort = try order.map { [RecordQuery.SortKey(try entity.path($0), isDescending: isDescending)] } ?? []
    let query = RecordQuery(
      entity: entity.number, filter: filter.isEmpty ? .all : .and(filter), sort: sort, limit: limit)
    return try fetch(query).map { try Record($0, entity) }
  }

  func settings() throws -> LedgerSettings {
    guard let settings = try find(LedgerSettings.self, LedgerSettings.onlyID) else {
      throw AppStoreTestingError(
        .damagedLedger, "the App Store's ledger has no settings: use a new directory for the App Store")
    }
    return settings
  }

  func account(_ name: String) throws -> LedgerAccount {
    guard let account = try find(LedgerAccount.self, LedgerAccount.id(name: name)) else {
      throw AppStoreTestingError(
        .unknownAccount, "the App Store has no account of this name: add it, or choose one of those it lists")
    }
    return account
  }

  func transaction(_ number: UInt64, _ settings: LedgerSettings) throws -> LedgerTransaction {
    let id = LedgerTransaction.id(number: number, resetCount: settings.resetCount)
    guard let transaction = try find(LedgerTransaction.self, id) else {
      throw AppStoreTestingError(
        .unknownTransaction, "the App Store has no transaction \(number): choose one of those it lists")
    }
    return transaction
  }

  /// A purchase that waits; it may have been answered by another process a moment ago.
  func waiting(_ number: UInt64) throws -> LedgerRequest {
    guard let request = try find(LedgerRequest.self, LedgerRequest.id(number: number)), request.state == .waiting else {
      throw AppStoreTestingError(
        .unknownRequest, "no purchase waits under the number \(number): choose one of those that wait")
    }
    return request
  }

  private func ledgerEntity<Record: LedgerRecord>(_: Record.Type) throws -> CatalogueEntity {
    try catalogue.ledgerEntity(named: Record.entityName)
  }
}

extension Catalogue {
  func ledgerEntity(named name: String) throws -> CatalogueEntity {
    guard let entity = entity(named: name) else {
      throw AppStoreTestingError(
        .damagedLedger, "the App Store's ledger has no table \(name): use a new directory for the App Store")
    }
    return entity
  }
}

extension CatalogueEntity {
  fileprivate func path(_ name: String) throws -> FieldPath {
    guard let field = field(named: name) else {
      throw AppStoreTestingError(
        .damagedLedger, "the App Store's ledger has no field \(name): use a new directory for the App Store")
    }
    return FieldPath(field.ordinal)
  }
}
