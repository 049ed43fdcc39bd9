package import RecordStore

/// One overwritten value of a unique key in a dump:
/// `{"past":{"entity":"Page","id":"<id>","field":"slug","value":"x","stamp":"<stamp>"}}`.
///
/// Whether two records are one hangs on what they held, not only on what they hold.
package struct PastLine: Hashable, Sendable {
  package var entity: String
  package var id: RecordID
  package var field: String
  package var value: JSON
  package var stamp: Stamp

  package init(_ past: RecordPastWrite, in catalogue: Catalogue) {
    let entity = catalogue.entities[past.entity]
    self.entity = entity.name
    id = past.id
    field = entity.fields[past.write.ordinal].name
    value = past.write.value.json
    stamp = past.write.stamp
  }

  package var json: JSON {
    [
      "past": [
        "entity": .string(entity), "id": .string(id.description), "field": .string(field), "value": value,
        "stamp": .string(stamp.text),
      ]
    ]
  }

  /// Nil where the line is no past value; throws where it is a wrong one.
  package init?(json: JSON, line: Int) throws(InspectionError) {
    guard let past = json["past"] else { return nil }
    guard let entity = past["entity"]?.stringValue, let id = past["id"]?.stringValue.flatMap({ RecordID($0) }),
      let field = past["field"]?.stringValue, let value = past["value"],
      let stamp = past["stamp"]?.stringValue.flatMap({ Stamp(text: $0) })
    else {
      throw InspectionError(
        .malformedLine, "line \(line) is no past value of a record; correct the line")
    }
    self.entity = entity
    self.id = id
    self.field = field
    self.value = value
    self.stamp = stamp
  }

  package func write(in catalogue: Catalogue, line: Int) throws(InspectionError) -> RecordPastWrite {
    guard let entity = catalogue.entity(named: entity), let field = entity.field(named: field) else {
      throw InspectionError(
        .unknownName, "line \(line) names a field that the dump's schema line does not have; dump the store again")
    }
    guard let value = FieldValue(json: value, type: field.type) else {
      throw InspectionError(
        .wrongValue, "line \(line) has a value for '\(field.name)' that is no \(field.type); correct the line")
    }
    return RecordPastWrite(
      entity: entity.number, id: id, write: PastWrite(ordinal: field.ordinal, stamp: stamp, value: value))
  }
}
