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
