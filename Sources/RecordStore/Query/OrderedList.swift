/// The elements of one ordered list with their positions, and what must be written to place one.
///
/// In order of position, equal ones by id; elements without a position come last, by id. So the order is a function of
/// what each element says, and equal on all devices that know the same.
package struct OrderedList: Hashable, Sendable {
  /// One element of the list.
  package struct Element: Hashable, Sendable {
    /// The record's id.
    package var id: RecordID
    /// The position; nil for an element that has none.
    package var key: OrderKey?
    /// Creates an element from its parts.
    package init(id: RecordID, key: OrderKey?) {
      self.id = id
      self.key = key
    }
  }

  /// The elements in their order.
  package private(set) var elements: [Element]

  /// A list of elements, which are sorted.
  package init(_ elements: [Element]) { self.elements = elements.sorted(by: OrderedList.precedes) }

  /// The ids of the elements in their order.
  package var ids: [RecordID] { elements.map(\.id) }

  /// Puts an element at a place among the others, whether it is there already or not, and returns the positions that
  /// must be written: its own, and where neighbours have none or share one, theirs. `index` counts the others only.
  ///
  /// Cost: one write but for neighbours without room between them.
  package mutating func place(_ id: RecordID, at index: Int) -> [Element] {
    elements.removeAll { $0.id == id }
    var written = positionElements(before: index)
    let left = index > 0 ? elements[index - 1].key : nil
    var end = index
    // Others at the same position stand before the place by their id alone; those behind it give way.
    while end < elements.count, let key = elements[end].key, let left, key <= left { end += 1 }
    let right = end < elements.count ? elements[end].key : nil
    var key = OrderKey.between(left, right)
    written.append(Element(id: id, key: key))
    for position in index..<end {
      key = .between(key, right)
      elements[position].key = key
      written.append(elements[position])
    }
    elements.insert(Element(id: id, key: written.first { $0.id == id }?.key), at: index)
    return written
  }

  /// Gives positions to the elements before a place that have none.
  private mutating func positionElements(before index: Int) -> [Element] {
    var written: [Element] = []
    for position in 0..<index where elements[position].key == nil {
      elements[position].key = .between(position > 0 ? elements[position - 1].key : nil, nil)
      written.append(elements[position])
    }
    return written
  }

  /// The positions of the elements that have one.
  package var keys: [RecordID: OrderKey] {
    Dictionary(
      elements.compactMap { element in element.key.map { (element.id, $0) } }, uniquingKeysWith: { first, _ in first })
  }

  private static func precedes(_ left: Element, _ right: Element) -> Bool {
    switch (left.key, right.key) {
    case (let leftKey?, let rightKey?) where leftKey != rightKey: leftKey < rightKey
    case (.some, nil): true
    case (nil, .some): false
    default: left.id < right.id
    }
  }
}

extension StoreSnapshot {
  /// The visible records linked to `id` by a to-many relationship, in the order that their attribute `field` says.
  ///
  /// Text that is no position counts as none. Cost: one look-up a record.
  ///
  /// - Throws: ``StoreError``.
  package func orderedList(
    of id: RecordID, _ entity: EntityNumber, relationship: String, field: String
  ) throws -> OrderedList {
    guard let definition = catalogue.entities[entity].relationship(named: relationship),
      let destination = catalogue.entity(named: definition.destination), let field = destination.field(named: field)
    else { return OrderedList([]) }
    return OrderedList(
      try related(id, of: entity, relationship: relationship).map { id in
        var key: OrderKey?
        if case .string(let text)? = try record(id, of: destination.number)?.value(of: field) { key = OrderKey(text) }
        return OrderedList.Element(id: id, key: key)
      })
  }
}

// Lists that are given as a whole.
extension OrderedList {
  /// The positions to write so that elements follow each other as they are given, where some have one.
  ///
  /// As few as can be: the longest part of the list whose positions rise stays, the others get positions between.
  package static func keys(of ids: [RecordID], known: [RecordID: OrderKey]) -> [RecordID: OrderKey] {
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
}

extension Catalogue {
  /// The attribute in which the members of an ordered relationship have their position; nil for one without order.
  package func positionField(of relationship: CatalogueRelationship, in entity: CatalogueEntity) -> CatalogueField? {
    guard relationship.isToMany, case .inverse(let holder, _) = relationship.storage else { return nil }
    // The name of a subclass's property has the name of the class in front.
    let name = relationship.name.contains(".") ? relationship.name : "\(entity.name).\(relationship.name)"
    return entities[holder].field(named: name + ".order").flatMap { $0.isDeclared ? $0 : nil }
  }
}

extension StoreSnapshot {
  /// The visible records linked to `id` by a relationship: in the list's order if it is ordered, else in id order.
  ///
  /// - Throws: ``StoreError``.
  package func members(of id: RecordID, _ entity: EntityNumber, relationship: CatalogueRelationship) throws
    -> [RecordID]
  {
    guard let field = catalogue.positionField(of: relationship, in: catalogue.entities[entity]) else {
      return try related(id, of: entity, relationship: relationship.name)
    }
    return try orderedList(of: id, entity, relationship: relationship.name, field: field.name).ids
  }
}
