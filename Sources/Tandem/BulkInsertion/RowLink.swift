import RecordStore

/// A link of a new record that another record holds, or the other side's order.
struct RowLink {
  enum Kind {
    /// A change that follows the inserts of its save.
    case change(RecordChange)
    /// The record is the last of an owner's ordered list.
    case place(OwnedList)
  }

  /// The property of the new record.
  let index: Int
  let kind: Kind

  /// The links beside the record itself of a relationship with such targets.
  static func links(of id: RecordID, _ index: Int, to targets: [RecordID], _ binding: EntityBinding) -> [RowLink] {
    guard !targets.isEmpty, let destination = binding.destination(of: index),
      let relationship = binding.relationships[index]
    else { return [] }
    let property = binding.description.properties[index]
    let changes: [RecordChange]
    switch relationship.storage {
    case .reference: return place(of: index, in: targets, destination, binding).map { [$0] } ?? []
    case .inverse(let entity, let ordinal):
      changes = targets.map { .update(entity: entity, id: $0, fields: [FieldWrite(ordinal, .reference(id))]) }
    case .join:
      changes = targets.map {
        .link(entity: binding.entity.number, id: id, relationship: property.storedName, other: $0, isLinked: true)
      }
    }
    return (changes + positions(of: property, targets, destination, binding)).map {
      RowLink(index: index, kind: .change($0))
    }
  }

  private static func place(
    of index: Int, in targets: [RecordID], _ destination: EntityBinding, _ binding: EntityBinding
  ) -> RowLink? {
    guard let inverse = binding.description.inverse(of: index),
      destination.description.properties[inverse.index].isOrdered
    else { return nil }
    return RowLink(index: index, kind: .place(OwnedList(owner: targets[0], index: inverse.index, binding: destination)))
  }

  /// The members of an ordered list stand as they were given.
  private static func positions(
    of property: PropertyDescription, _ members: [RecordID], _ destination: EntityBinding, _ binding: EntityBinding
  ) -> [RecordChange] {
    guard property.isOrdered,
      let field = destination.entity.field(named: OrderField.name(of: property, in: binding.description))
    else { return [] }
    let keys = OrderedList.keys(of: members, known: [:])
    return members.compactMap { id in
      keys[id].map {
        .update(entity: destination.entity.number, id: id, fields: [FieldWrite(field.ordinal, .string($0.text))])
      }
    }
  }
}

/// The ordered list of one owner.
struct OwnedList: Hashable {
  let owner: RecordID
  /// The property of the owner.
  let index: Int
  let binding: EntityBinding

  static func == (left: OwnedList, right: OwnedList) -> Bool { left.owner == right.owner && left.index == right.index }
  func hash(into hasher: inout Hasher) { hasher.combine(owner) }

  /// The positions that new members need behind those that the list has.
  func positions(of members: [RecordID]) throws -> [RecordChange] {
    let property = binding.description.properties[index]
    let name = OrderField.name(of: property, in: binding.description)
    guard let destination = binding.destination(of: index), let field = destination.entity.field(named: name) else {
      return []
    }
    let stored = try binding.store.store.read {
      try $0.orderedList(of: owner, binding.entity.number, relationship: property.storedName, field: name)
    }
    let ids = stored.ids + members
    let keys = OrderedList.keys(of: ids, known: stored.keys)
    return ids.compactMap { id in
      keys[id].map {
        .update(entity: destination.entity.number, id: id, fields: [FieldWrite(field.ordinal, .string($0.text))])
      }
    }
  }
}
