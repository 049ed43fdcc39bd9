import RecordStore

/// Which references lead to a record whose deletion takes the referring record along.
struct CascadeMap: Hashable, Sendable {
  struct Child: Hashable, Sendable {
    /// The relationship on the parent's side.
    var relationship: String
    var entity: EntityNumber
  }
  struct Parent: Hashable, Sendable {
    var ordinal: Int
    var entity: EntityNumber
  }
  /// By the child's entity: the references to its cascading parents.
  private(set) var parents: [EntityNumber: [Parent]] = [:]
  /// By the parent's entity.
  private(set) var children: [EntityNumber: [Child]] = [:]

  init(_ catalogue: Catalogue) {
    for entity in catalogue.entities {
      for relationship in entity.relationships where relationship.deleteRule == .cascade {
        switch relationship.storage {
        case .inverse(let child, let ordinal):
          parents[child, default: []].append(Parent(ordinal: ordinal, entity: entity.number))
          children[entity.number, default: []].append(Child(relationship: relationship.name, entity: child))
        case .reference:
          guard let child = catalogue.entity(named: relationship.destination) else { continue }
          children[entity.number, default: []].append(Child(relationship: relationship.name, entity: child.number))
        case .join: continue
        }
      }
    }
  }

  /// The records above `facts`, by its current references.
  func parents(of facts: RecordFacts) -> [RecordKey] {
    (parents[facts.entity] ?? []).compactMap { parent in
      guard case .reference(let id)? = facts.register(at: parent.ordinal)?.value else { return nil }
      return RecordKey(entity: parent.entity, id: id)
    }
  }
}
