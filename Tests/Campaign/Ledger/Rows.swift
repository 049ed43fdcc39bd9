import RecordStore

/// The records of one entity by the names of its fields.
struct Rows {
  let entity: CatalogueEntity

  init(_ name: String, in snapshot: borrowing StoreSnapshot) throws {
    guard let entity = snapshot.catalogue.entity(named: name) else { throw Finding("the store has no entity \(name)") }
    self.entity = entity
  }

  var hasScans: Bool { entity.field(named: "scan") != nil }

  func field(_ name: String) throws -> CatalogueField {
    guard let field = entity.field(named: name) else { throw Finding("\(entity.name) has no field \(name)") }
    return field
  }

  func integer(_ name: String, of image: RecordImage) throws -> Int64 {
    guard case .int(let value) = image.value(of: try field(name)) else {
      throw Finding("a record of \(entity.name) has no \(name)")
    }
    return value
  }

  func query(where name: String, is value: Int64) throws -> RecordQuery {
    RecordQuery(
      entity: entity.number, filter: .compare(FieldPath(try field(name).ordinal), .equal, .int(value)))
  }

  func id(where name: String, is value: Int64, _ snapshot: borrowing StoreSnapshot) throws -> RecordID? {
    try snapshot.identifiers(query(where: name, is: value)).first
  }

  func insert(_ fields: [String: FieldValue]) throws -> RecordChange {
    .insert(entity: entity.number, id: RecordIDGenerator.shared.next(), fields: try writes(fields))
  }

  func update(_ id: RecordID, _ fields: [String: FieldValue]) throws -> RecordChange {
    .update(entity: entity.number, id: id, fields: try writes(fields))
  }

  private func writes(_ fields: [String: FieldValue]) throws -> [FieldWrite] {
    try fields.sorted { $0.key < $1.key }.map { FieldWrite(try field($0.key).ordinal, $0.value) }
  }
}
