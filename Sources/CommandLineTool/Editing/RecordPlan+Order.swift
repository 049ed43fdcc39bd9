import RecordStore

// Positions in ordered lists.
extension RecordPlan {
  /// Has the members of an ordered list follow each other as they were given.
  mutating func order(
    _ ids: [RecordID], _ relationship: CatalogueRelationship, in snapshot: borrowing StoreSnapshot
  ) throws {
    guard case .inverse(let holder, _) = relationship.storage,
      let field = catalogue.positionField(of: relationship, in: entity)
    else { return }
    let list =
      known == nil
      ? OrderedList([])
      : try snapshot.orderedList(of: id, entity.number, relationship: relationship.name, field: field.name)
    let members = Set(ids)
    guard list.ids.filter({ members.contains($0) }) != ids else { return }
    let keys = OrderedList.keys(of: ids, known: list.keys)
    links += ids.compactMap { id in keys[id].map { RecordPlan.position($0, of: id, holder, field) } }
  }

  /// Has the record stand last in the ordered list of its new owner, unless its position is stated, too.
  mutating func placeLast(by reference: CatalogueRelationship, in snapshot: borrowing StoreSnapshot) throws {
    guard case .reference(let ordinal) = reference.storage,
      let value = writes.last(where: { $0.ordinal == ordinal })?.value, case .reference(let owner) = value,
      known?.value(of: entity.fields[ordinal]) != value,
      let other = catalogue.entity(named: reference.destination),
      let relationship = reference.inverse.flatMap({ other.relationship(named: $0) }),
      let field = catalogue.positionField(of: relationship, in: other),
      !writes.contains(where: { $0.ordinal == field.ordinal })
    else { return }
    var list = try snapshot.orderedList(
      of: owner, other.number, relationship: relationship.name, field: field.name)
    for element in list.place(id, at: list.ids.count { $0 != id }) {
      guard let key = element.key else { continue }
      if element.id == id {
        writes.append(FieldWrite(field.ordinal, .string(key.text)))
      } else {
        links.append(RecordPlan.position(key, of: element.id, entity.number, field))
      }
    }
  }

  private static func position(
    _ key: OrderKey, of id: RecordID, _ holder: EntityNumber, _ field: CatalogueField
  ) -> RecordChange {
    .update(entity: holder, id: id, fields: [FieldWrite(field.ordinal, .string(key.text))])
  }
}
