package import RecordStore

/// One record of a dump: all its facts, by name.
///
/// `{"entity":"List","id":"…","touch":"…","fields":{"name":"Food"},"stamps":{"name":"…"}}`, where
/// `stamps` names only fields whose stamp is not the touch stamp; `"inserted":false`, `"visible":false` and
/// `"deleted":"…"` appear where they apply, and for a record of a once transaction `"once":{"<hash of the key>":"…"}`
/// with the stamp of the key's first run, and `"onceFields":[…]`, the fields that such an insert wrote last.
/// A line that a person writes needs only `entity` and `fields`.
///
/// `tandem query --json` prints records in another form, which holds what readers see and nothing else:
/// `{"@entity":"List","@id":"…","name":"Food","items":["…"]}`.
package struct RecordLine: Hashable, Sendable {
  package var entity: String
  /// Nil in a line that a person wrote: a new record.
  package var id: RecordID?
  package var isInserted: Bool
  package var isVisible: Bool
  package var touch: Stamp?
  package var deleted: Stamp?
  package var onceInserts: [RecordFacts.OnceInsert]
  package var fields: [Field]
  /// Whether the line is one that `tandem query --json` prints.
  package var isListed = false

  package struct Field: Hashable, Sendable {
    package var name: String
    package var value: JSON
    /// Nil where the line gives none.
    package var stamp: Stamp?
    package var isOnce = false
  }

  package init(_ facts: RecordFacts, entity: CatalogueEntity, isVisible: Bool) {
    self.entity = entity.name
    id = facts.id
    isInserted = facts.isInserted
    self.isVisible = isVisible
    touch = facts.touch
    deleted = facts.deleted
    onceInserts = facts.onceInserts
    fields = facts.registers.map { register in
      Field(
        name: entity.fields[register.ordinal].name, value: register.value.json, stamp: register.stamp,
        isOnce: register.isOnce)
    }
  }

  package var json: JSON {
    if isListed { return listedJSON }
    let others = fields.filter { $0.stamp != touch }
    return .members([
      "entity": .string(entity),
      "id": id.map { .string($0.description) },
      "inserted": isInserted ? nil : .bool(false),
      "visible": isVisible ? nil : .bool(false),
      "touch": touch.map { .string($0.text) },
      "deleted": deleted.map { .string($0.text) },
      "once": onceInserts.isEmpty
        ? nil : .object(onceInserts.map { .init($0.keyHash.hexadecimal, .string($0.stamp.text)) }),
      "onceFields": fields.contains(where: \.isOnce)
        ? .array(fields.filter(\.isOnce).map { .string($0.name) }) : nil,
      "fields": .object(fields.map { .init($0.name, $0.value) }),
      "stamps": others.isEmpty
        ? nil : .object(others.compactMap { field in field.stamp.map { .init(field.name, .string($0.text)) } }),
    ])
  }

  /// `line` is the number that messages name.
  package init(json: JSON, line: Int) throws(InspectionError) {
    if RecordLine.isListed(json) {
      try self.init(listed: json, line: line)
    } else {
      try self.init(dumped: json, line: line)
    }
  }

  private init(dumped json: JSON, line: Int) throws(InspectionError) {
    func malformed(_ problem: String) -> InspectionError {
      InspectionError(.malformedLine, "line \(line) \(problem); correct the line")
    }
    func stamp(_ json: JSON?, _ name: String) throws(InspectionError) -> Stamp? {
      guard let json else { return nil }
      guard let stamp = json.stringValue.flatMap({ Stamp(text: $0) }) else {
        throw malformed("has no stamp in '\(name)'")
      }
      return stamp
    }
    guard let entity = json["entity"]?.stringValue else {
      throw InspectionError(
        .malformedLine,
        "line \(line) names no entity; write its name as \"@entity\", or as \"entity\" beside \"fields\"")
    }
    guard case .object(let members)? = json["fields"] else { throw malformed("has no object 'fields'") }
    self.entity = entity
    if let text = json["id"] {
      guard let id = text.stringValue.flatMap({ RecordID($0) }) else {
        throw malformed("has an id that is not 32 hexadecimal digits")
      }
      self.id = id
    }
    isInserted = json["inserted"]?.boolValue ?? true
    isVisible = json["visible"]?.boolValue ?? true
    touch = try stamp(json["touch"], "touch")
    deleted = try stamp(json["deleted"], "deleted")
    onceInserts = []
    for member in json["once"]?.objectValue ?? [] {
      guard let hash = UInt64(member.name, radix: 16), let first = try stamp(member.value, "once") else {
        throw malformed("names a once key by something that is no hash")
      }
      onceInserts.append(.init(keyHash: hash, stamp: first))
    }
    onceInserts.sort { $0.keyHash < $1.keyHash }
    let onceFields = Set(json["onceFields"]?.arrayValue?.compactMap(\.stringValue) ?? [])
    guard onceFields.isEmpty || !onceInserts.isEmpty else { throw malformed("has 'onceFields' and no 'once'") }
    fields = []
    for member in members {
      fields.append(
        Field(
          name: member.name, value: member.value, stamp: try stamp(json["stamps"]?[member.name], member.name) ?? touch,
          isOnce: onceFields.contains(member.name)))
    }
  }
}

extension RecordLine {
  /// The line as facts in the numbering of a catalogue.
  package func facts(in catalogue: Catalogue, line: Int) throws(InspectionError) -> RecordFacts {
    let entity = try entity(in: catalogue, line: line)
    guard let id, !isListed else {
      throw InspectionError(.malformedLine, "line \(line) is no record with an id and stamps; use --into")
    }
    var registers: [RecordFacts.Register] = []
    for (field, write) in try writes(to: entity, line: line) {
      guard let stamp = field.stamp else {
        throw InspectionError(
          .malformedLine, "line \(line) has no stamp for '\(field.name)'; dump the store again, or use --into")
      }
      registers.append(.init(ordinal: write.ordinal, value: write.value, stamp: stamp, isOnce: field.isOnce))
    }
    registers.sort { $0.ordinal < $1.ordinal }
    let facts = RecordFacts(
      entity: entity.number, id: id, isInserted: isInserted, touch: touch, deleted: deleted,
      onceInserts: onceInserts, registers: registers)
    guard facts.isSound else {
      throw InspectionError(.malformedLine, "line \(line) names a once key twice; correct the line")
    }
    return facts
  }

  package func entity(in catalogue: Catalogue, line: Int) throws(InspectionError) -> CatalogueEntity {
    guard let entity = catalogue.entity(named: self.entity) else {
      throw InspectionError(
        .unknownName,
        "line \(line) names the entity '\(self.entity)', which the store does not have; load into a new store")
    }
    return entity
  }

  /// Each field with what it writes, in the line's order.
  package func writes(
    to entity: CatalogueEntity, line: Int
  ) throws(InspectionError) -> [(field: Field, write: FieldWrite)] {
    let (writes, links) = try contents(for: entity, line: line)
    if let link = links.first { throw unknown(link.relationship.name, entity, line: line) }
    return writes
  }

  /// The line's words on fields, and on relationships that have no field in this entity, in the line's order.
  func contents(
    for entity: CatalogueEntity, line: Int
  ) throws(InspectionError) -> (writes: [(field: Field, write: FieldWrite)], links: [Link]) {
    var writes: [(field: Field, write: FieldWrite)] = []
    var links: [Link] = []
    var seen: Set<String> = []
    for field in fields {
      guard seen.insert(field.name).inserted else {
        throw InspectionError(.malformedLine, "line \(line) has two values for '\(field.name)'; remove one")
      }
      let relationship = entity.relationship(named: field.name)
      if let known = entity.field(named: field.name) ?? relationship.flatMap({ entity.field(of: $0) }) {
        guard let value = value(of: field, type: known.type) else {
          throw InspectionError(
            .wrongValue, "line \(line) has a value for '\(field.name)' that is no \(known.type); correct the line")
        }
        writes.append((field, FieldWrite(known.ordinal, value)))
      } else if let relationship {
        links.append(try link(relationship, field.value, line: line))
      } else {
        throw unknown(field.name, entity, line: line)
      }
    }
    return (writes, links)
  }

  private func value(of field: Field, type: FieldType) -> FieldValue? {
    isListed ? FieldValue(programJSON: field.value, type: type) : FieldValue(json: field.value, type: type)
  }

  private func unknown(_ name: String, _ entity: CatalogueEntity, line: Int) -> InspectionError {
    InspectionError(
      .unknownName, "line \(line) names the field '\(name)', which '\(entity.name)' does not have; remove it")
  }
}

extension CatalogueEntity {
  /// The field that holds a to-one relationship, where this side does.
  fileprivate func field(of relationship: CatalogueRelationship) -> CatalogueField? {
    guard case .reference(let ordinal) = relationship.storage else { return nil }
    return fields[ordinal]
  }
}

// Lists of records that a relationship leads to.
extension RecordLine {
  struct Link: Hashable, Sendable {
    var relationship: CatalogueRelationship
    var ids: [RecordID]
  }

  private func link(
    _ relationship: CatalogueRelationship, _ json: JSON, line: Int
  ) throws(InspectionError) -> Link {
    let elements = relationship.isToMany ? json.arrayValue : json == .null ? [] : [json]
    let ids = elements?.map { $0.stringValue.flatMap { RecordID($0) } } ?? [nil]
    guard !ids.contains(nil) else {
      throw InspectionError(
        .wrongValue,
        "line \(line) has a value for '\(relationship.name)' that is no "
          + "\(relationship.isToMany ? "array of ids" : "id"); correct the line")
    }
    return Link(relationship: relationship, ids: ids.compactMap(\.self))
  }
}

// The form of `tandem query --json`.
extension RecordLine {
  package static let entityMember = "@entity"
  package static let idMember = "@id"

  static func isListed(_ json: JSON) -> Bool { json[entityMember] != nil }

  private init(listed json: JSON, line: Int) throws(InspectionError) {
    guard let entity = json[RecordLine.entityMember]?.stringValue else {
      throw InspectionError(.malformedLine, "line \(line) has an '@entity' that is no text; correct the line")
    }
    var id: RecordID?
    if let text = json[RecordLine.idMember] {
      guard let known = text.stringValue.flatMap({ RecordID($0) }) else {
        throw InspectionError(
          .malformedLine, "line \(line) has an id that is not 32 hexadecimal digits; correct the line")
      }
      id = known
    }
    let fields = (json.objectValue ?? []).filter {
      $0.name != RecordLine.entityMember && $0.name != RecordLine.idMember
    }
    self.init(listing: entity, id: id, fields: fields.map { Field(name: $0.name, value: $0.value) })
  }

  /// A record as readers see it.
  package init(listing entity: String, id: RecordID?, fields: [Field]) {
    self.entity = entity
    self.id = id
    self.fields = fields
    (isInserted, isVisible, onceInserts, isListed) = (true, true, [], true)
  }

  private var listedJSON: JSON {
    var members = [JSON.Member(RecordLine.entityMember, .string(entity))]
    if let id { members.append(.init(RecordLine.idMember, .string(id.description))) }
    return .object(members + fields.map { .init($0.name, $0.value) })
  }
}
