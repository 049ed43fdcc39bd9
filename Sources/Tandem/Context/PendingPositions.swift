import RecordStore

/// The positions that a save must write so that an ordered relationship reads as the array stands.
enum PendingPositions {
  /// As few as can be: the longest part of the list whose positions rise stays, the others get positions between.
  static func keys(of ids: [RecordID], known: [RecordID: OrderKey]) -> [RecordID: OrderKey] {
    let keys = ids.map { known[$0] }
    let staying = longestRise(keys)
    guard !staying.isEmpty else { return Dictionary(zip(ids, OrderKey.evenly(ids.count))) { first, _ in first } }
    var written: [RecordID: OrderKey] = [:]
    var next = staying[...]
    var left: OrderKey?
    for (place, id) in ids.enumerated() {
      if place == next.first {
        left = keys[place]
        next = next.dropFirst()
      } else {
        let key = OrderKey.between(left, next.first.flatMap { keys[$0] })
        written[id] = key
        left = key
      }
    }
    return written
  }

  /// The places of a longest part of the keys that rises, in order. n log n.
  private static func longestRise(_ keys: [OrderKey?]) -> [Int] {
    // Per length the place where the rise of that length with the smallest end ends, and each place's predecessor.
    var ends: [Int] = []
    var before = [Int?](repeating: nil, count: keys.count)
    for (place, key) in keys.enumerated() {
      guard let key else { continue }
      var low = 0
      var high = ends.count
      while low < high {
        let middle = (low + high) / 2
        if let end = keys[ends[middle]], end < key { low = middle + 1 } else { high = middle }
      }
      before[place] = low > 0 ? ends[low - 1] : nil
      if low == ends.count { ends.append(place) } else { ends[low] = place }
    }
    var rise: [Int] = []
    var place = ends.last
    while let current = place {
      rise.append(current)
      place = before[current]
    }
    return rise.reversed()
  }

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
    toMany(index).positions = Dictionary(
      list.elements.compactMap { element in element.key.map { (element.id, $0) } },
      uniquingKeysWith: { first, _ in first })
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
      pending.newPositions = PendingPositions.keys(of: ids, known: pending.positions)
      return ids.compactMap { id in
        pending.newPositions[id].map { key in
          .update(
            entity: destination.entity.number, id: id, fields: [FieldWrite(field.ordinal, .string(key.text))])
        }
      }
    }
  }
}
