import RecordStore
import StoreInspection

/// The changes that give one record, new or known, the values that a person stated.
///
/// Names, types, required values, unique values and targets are checked against the snapshot of the same commit, so
/// that each refusal names the field. The store's own rules hold beside them.
struct RecordPlan {
  let entity: CatalogueEntity
  let id: RecordID
  /// Nil: the record is new.
  let known: RecordImage?
  let catalogue: Catalogue
  var writes: [FieldWrite] = []
  /// Changes of records that hold a relationship's link, and links of many-to-many relationships.
  var links: [RecordChange] = []

  init(
    _ statements: [RecordStatement], entity: CatalogueEntity, id: RecordID, known: RecordImage?,
    in snapshot: borrowing StoreSnapshot
  ) throws {
    (self.entity, self.id, self.known, catalogue) = (entity, id, known, snapshot.catalogue)
    for statement in statements { try take(statement, in: snapshot) }
    for relationship in entity.relationships { try placeLast(by: relationship, in: snapshot) }
    if known == nil { try requireCompleteness() }
    for index in entity.indexes where index.isUnique { try requireUniqueness(index, in: snapshot) }
  }

  /// None where everything is as stated.
  var changes: [RecordChange] {
    guard let known else { return [.insert(entity: entity.number, id: id, fields: writes)] + links }
    let new = writes.filter { !known.holds($0.value, in: entity.fields[$0.ordinal]) }
    return (new.isEmpty ? [] : [.update(entity: entity.number, id: id, fields: new)]) + links
  }

  private mutating func take(_ statement: RecordStatement, in snapshot: borrowing StoreSnapshot) throws {
    let relationship = entity.relationship(named: statement.name)
    if let field = field(statement.name, relationship) {
      try take(statement, field, in: snapshot)
    } else if let relationship {
      try take(statement, relationship, in: snapshot)
    } else {
      let names = entity.fields.filter { $0.isDeclared && !$0.name.hasPrefix("~") }.map(\.name)
      let others = entity.relationships.map(\.name).filter { !names.contains($0) }
      throw CommandFailure(
        "'\(entity.name)' has no field '\(DisplayText.visible(statement.name))'; "
          + NameSuggestion.sentence(for: statement.name, among: names + others))
    }
  }

  private func field(_ name: String, _ relationship: CatalogueRelationship?) -> CatalogueField? {
    if case .reference(let ordinal)? = relationship?.storage { return entity.fields[ordinal] }
    return entity.field(named: name).flatMap { $0.isDeclared && !$0.name.hasPrefix("~") ? $0 : nil }
  }
}

// Values of fields.
extension RecordPlan {
  private mutating func take(
    _ statement: RecordStatement, _ field: CatalogueField, in snapshot: borrowing StoreSnapshot
  ) throws {
    let value: FieldValue
    if let destination = field.destination {
      let targets = try targets(statement, isToMany: false, of: destination, in: snapshot)
      value = targets.first.map { .reference($0) } ?? .null
    } else {
      value = try StatementReader.value(of: statement, for: field)
    }
    if value == .null, !field.isOptional { throw missing([statement.name]) }
    if field.name == RecordPlan.className, case .string(let name) = value {
      try requireClass(name, field, in: snapshot)
    }
    writes.append(FieldWrite(field.ordinal, value))
  }

  private static let className = ".class"

  /// A class that the store knows has properties of its own, or a record. Nothing stands for the class at the root.
  private func requireClass(_ name: String, _ field: CatalogueField, in snapshot: borrowing StoreSnapshot) throws {
    let names = entity.fields.filter(\.isForPeople).map(\.name) + entity.relationships.map(\.name)
    let known = Set(names.filter { $0.contains(".") }.map { String($0.prefix { $0 != "." }) })
    let filter = RecordFilter.compare(FieldPath(field.ordinal), .equal, .string(name))
    guard try !known.contains(name) && snapshot.count(RecordQuery(entity: entity.number, filter: filter)) == 0 else {
      return
    }
    throw CommandFailure(
      "the store knows no class '\(DisplayText.visible(name))' of '\(entity.name)', for which \(field.name):=null "
        + "stands; " + NameSuggestion.sentence(for: name, among: known.sorted()))
  }

  /// The store would make a value up, and it would travel.
  private func requireCompleteness() throws(CommandFailure) {
    let missing = entity.fields.filter { field in
      field.isDeclared && !field.isOptional && field.defaultValue == nil
        && !writes.contains { $0.ordinal == field.ordinal }
    }
    if !missing.isEmpty { throw self.missing(missing.map(\.name)) }
  }

  private func missing(_ names: [String]) -> CommandFailure {
    CommandFailure(
      "'\(entity.name)' requires a value of \(names.map { "'\($0)'" }.joined(separator: ", ")); give "
        + (names.count == 1 ? "one" : "them"))
  }

  private func requireUniqueness(_ index: CatalogueIndex, in snapshot: borrowing StoreSnapshot) throws {
    let fields = index.components.map { entity.fields[$0.ordinal] }
    guard known == nil || fields.contains(where: { field in writes.contains { $0.ordinal == field.ordinal } })
    else { return }
    let values = fields.map { field in
      writes.last { $0.ordinal == field.ordinal }?.value ?? known?.value(of: field) ?? field.valueWhenAbsent
    }
    guard !values.contains(.null), let holder = try snapshot.lookUp(index, of: entity.number, values: values),
      holder != id
    else { return }
    throw CommandFailure(
      "the '\(entity.name)' \(holder) has the same \(fields.map { "'\($0.name)'" }.joined(separator: " and ")), which "
        + "is unique; edit that record, or give another value")
  }
}

// Relationships that other records hold.
extension RecordPlan {
  private mutating func take(
    _ statement: RecordStatement, _ relationship: CatalogueRelationship, in snapshot: borrowing StoreSnapshot
  ) throws {
    let targets = try targets(
      statement, isToMany: relationship.isToMany, of: relationship.destination, in: snapshot)
    let current =
      known == nil ? [] : try snapshot.related(id, of: entity.number, relationship: relationship.name)
    try order(targets, relationship, in: snapshot)
    for target in targets where !current.contains(target) {
      links.append(try link(relationship, target, isLinked: true, in: snapshot))
    }
    for target in current where !targets.contains(target) {
      links.append(try link(relationship, target, isLinked: false, in: snapshot))
    }
  }

  private func link(
    _ relationship: CatalogueRelationship, _ other: RecordID, isLinked: Bool, in snapshot: borrowing StoreSnapshot
  ) throws -> RecordChange {
    guard case .inverse(let holder, let ordinal) = relationship.storage else {
      return .link(
        entity: entity.number, id: id, relationship: relationship.name, other: other, isLinked: isLinked)
    }
    let field = catalogue.entities[holder].fields[ordinal]
    guard isLinked || field.isOptional else {
      throw CommandFailure(
        "'\(relationship.name)' leaves out the '\(relationship.destination)' \(other), whose '\(field.name)' is "
          + "required; list it, or give it another '\(field.name)' first")
    }
    return .update(
      entity: holder, id: other, fields: [FieldWrite(ordinal, isLinked ? .reference(id) : .null)])
  }

  /// Related records by their ids or unique values: separated by commas in text, an array or one text in JSON.
  private func targets(
    _ statement: RecordStatement, isToMany: Bool, of name: String, in snapshot: borrowing StoreSnapshot
  ) throws -> [RecordID] {
    let texts: [String]?
    switch statement.value {
    case .text(let text): texts = isToMany ? text.split(separator: ",").map(String.init) : text.isEmpty ? [] : [text]
    case .json(.null): texts = []
    case .json(.string(let text)) where !isToMany: texts = [text]
    case .json(.array(let elements)) where isToMany:
      let strings = elements.compactMap(\.stringValue)
      texts = strings.count == elements.count ? strings : nil
    case .json: texts = nil
    }
    guard let texts else {
      throw CommandFailure(
        "'\(statement.name)' leads to \(isToMany ? "records; give an array of ids" : "a record; give its id, or null")")
    }
    var targets: [RecordID] = []
    for text in texts {
      let target = try RecordFinder.target(text, of: name, for: statement.name, in: snapshot)
      if !targets.contains(target) { targets.append(target) }
    }
    return targets
  }
}
