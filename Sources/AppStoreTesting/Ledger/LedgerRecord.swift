import RecordStore

/// A kind of record of the ledger: a plain value, and the table that says which field holds which property.
protocol LedgerRecord: Sendable {
  static var entityName: String { get }
  /// The order is that of the store's fields. A later version appends what may be nil, or whose zero is right for
  /// records made before.
  static var fields: [LedgerField<Self>] { get }
  static var indexes: [IndexDefinition] { get }
  /// The id by which the store knows the record.
  var id: RecordID { get }
  /// A record that ``fields`` then fill.
  init(id: RecordID)
}

extension LedgerRecord {
  static var definition: EntityDefinition {
    EntityDefinition(
      name: entityName,
      attributes: fields.map {
        AttributeDefinition(name: $0.name, type: $0.type, isOptional: $0.isOptional)
      },
      indexes: indexes)
  }

  /// Throws ``AppStoreTestingError`` with `damagedLedger` if a field holds what its property cannot.
  init(_ image: RecordImage, _ entity: CatalogueEntity) throws {
    self.init(id: image.id)
    for field in Self.fields {
      guard let stored = entity.field(named: field.name), field.assign(&self, image.value(of: stored)) else {
        throw AppStoreTestingError(
          .damagedLedger,
          "the App Store's ledger has a \(Self.entityName) whose \(field.name) cannot be read: reset the App Store, "
            + "or use a new directory")
      }
    }
  }

  /// All fields, for a record that is new or has changed; equal values are not written again.
  func writes(_ entity: CatalogueEntity) -> [FieldWrite] {
    Self.fields.compactMap { field in
      entity.field(named: field.name).map { FieldWrite($0.ordinal, field.value(self)) }
    }
  }
}

/// One line of a record's table: a property, and the field that keeps it.
struct LedgerField<Record: Sendable>: Sendable {
  let name: String
  let type: FieldType
  let isOptional: Bool
  let value: @Sendable (Record) -> FieldValue
  /// False if the value does not fit the property.
  let assign: @Sendable (inout Record, FieldValue) -> Bool

  init<Value: LedgerValue>(_ name: String, _ property: any WritableKeyPath<Record, Value> & Sendable) {
    self.name = name
    type = Value.fieldType
    isOptional = Value.isOptionalField
    value = { $0[keyPath: property].fieldValue }
    assign = { record, fieldValue in
      guard let value = Value(fieldValue: fieldValue) else { return false }
      record[keyPath: property] = value
      return true
    }
  }
}
