import RecordStore

/// Arrays of ordered relationships that were put in order and are not saved yet.
enum PendingPositions {
  /// A list that was put in order here, with what others did since: what went is left out, what came stands behind the
  /// object that it stands behind there.
  static func merged(
    _ earlier: [any PersistentModel], with stored: [any PersistentModel]
  ) -> [any PersistentModel] {
    let present = Set(stored.map { ObjectIdentifier($0._$storage) })
    var merged = earlier.filter { present.contains(ObjectIdentifier($0._$storage)) }
    let known = Set(merged.map { ObjectIdentifier($0._$storage) })
    var previous: ModelStorage?
    for model in stored {
      if !known.contains(ObjectIdentifier(model._$storage)) {
        let place = merged.firstIndex { $0._$storage === previous }.map { $0 + 1 } ?? 0
        merged.insert(model, at: place)
      }
      previous = model._$storage
    }
    return merged
  }
}

extension ModelStorage {
  func notePositions(_ list: OrderedList, of index: Int) {
    toMany(index).positions = list.keys
  }

  /// The positions to write for the ordered relationships of a changed or new object.
  var positions: [RecordChange] {
    guard let binding, !slots.isEmpty, !flags.contains(.gone) else { return [] }
    return description.relationshipIndexes.flatMap { index -> [RecordChange] in
      let property = description.properties[index]
      guard property.isOrdered, case .toMany(let pending) = slots[index], pending.isReordered || pending.isPending,
        let destination = binding.destination(of: index),
        let field = destination.entity.field(named: OrderField.name(of: property, in: description))
      else { return [] }
      let ids = members(index).filter { !$0._$storage.isDeleted }.map { $0._$storage.recordID }
      pending.newPositions = OrderedList.keys(of: ids, known: pending.positions)
      return ids.compactMap { id in
        pending.newPositions[id].map { key in
          .update(
            entity: destination.entity.number, id: id, fields: [FieldWrite(field.ordinal, .string(key.text))])
        }
      }
    }
  }
}
