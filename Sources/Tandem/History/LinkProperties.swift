import RecordStore

/// The properties that show the links of a join entity, by the side on which they stand.
struct LinkProperties {
  private struct Side: Hashable {
    let entity: EntityNumber
    let ordinal: Int
  }
  /// The class that declares the property first.
  private var properties: [Side: [(binding: EntityBinding, index: Int)]] = [:]

  init(_ bindings: [EntityBinding]) {
    // A class before those that inherit from it; by name, so that nothing depends on the order of a dictionary.
    let sorted = bindings.sorted { $0.description.name < $1.description.name }
    for binding in sorted {
      for index in binding.description.relationshipIndexes {
        guard case .join(let entity, let near, _)? = binding.relationships[index]?.storage else { continue }
        let side = Side(entity: entity, ordinal: near)
        let found = properties[side, default: []]
        let place = found.firstIndex { $0.binding.isKind(of: binding) } ?? found.endIndex
        properties[side, default: []].insert((binding, index), at: place)
      }
    }
  }

  /// The property of an object, as that of its class if that is known and has it; nil where no class has it.
  func property(
    _ ordinal: Int, of entity: EntityNumber, _ binding: EntityBinding?
  ) -> (binding: EntityBinding, index: Int)? {
    guard let found = properties[Side(entity: entity, ordinal: ordinal)] else { return nil }
    return found.first { $0.binding === binding } ?? found.first
  }
}
