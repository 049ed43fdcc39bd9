import RecordStore

/// The fields and relationships that typed records name, in a store's numbering: looked up once for the records of a
/// table.
struct TypedFields {
  private var resolved: [String: (names: [String], fields: [CatalogueField])] = [:]

  mutating func writes(of record: TypedRecord, _ entity: CatalogueEntity) throws(InspectionError) -> [FieldWrite] {
    let fields = try fields(of: record, entity)
    var writes: [FieldWrite] = []
    writes.reserveCapacity(fields.count)
    for (field, value) in zip(fields, record.values) {
      guard value == .null || value.type == field.type else {
        throw InspectionError(
          .wrongValue, "\(record.place) has a value for '\(field.name)' that is no \(field.type); correct it")
      }
      writes.append(FieldWrite(field.ordinal, value))
    }
    return writes
  }

  private mutating func fields(
    of record: TypedRecord, _ entity: CatalogueEntity
  ) throws(InspectionError) -> [CatalogueField] {
    // Records of one table share one array, for which this is one comparison of addresses.
    if let known = resolved[entity.name], known.names == record.names { return known.fields }
    var fields: [CatalogueField] = []
    for name in record.names {
      guard let field = entity.field(named: name) else {
        throw InspectionError(
          .unknownName, "\(record.place) names the field '\(name)', which '\(entity.name)' does not have; remove it")
      }
      fields.append(field)
    }
    resolved[entity.name] = (record.names, fields)
    return fields
  }

  static func link(
    _ link: (relationship: String, ids: [RecordID]), _ entity: CatalogueEntity, _ place: InputPlace
  ) throws(InspectionError) -> RecordLine.Link {
    guard let relationship = entity.relationship(named: link.relationship) else {
      throw InspectionError(
        .unknownName,
        "\(place) names the relationship '\(link.relationship)', which '\(entity.name)' does not have; remove it")
    }
    return RecordLine.Link(relationship: relationship, ids: link.ids)
  }
}
