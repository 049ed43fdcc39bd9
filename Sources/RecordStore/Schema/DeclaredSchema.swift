import Synchronization

/// The schema that the user of one handle declared: compared with the store whenever its catalogue has changed, so that
/// a process with an older schema learns of a migration at its next use. Otherwise one load a read.
final class DeclaredSchema: Sendable {
  private struct State {
    var schema: StoreSchema?
    /// The places that the handle's user knows; nil until the first comparison.
    var places: [PropertyPlace]?
  }

  private let state = Mutex(State())
  /// The generation of the catalogue that was compared last; 0 is none.
  private let compared = Atomic<UInt64>(0)

  func set(_ declared: StoreSchema) {
    state.withLock { $0 = State(schema: declared) }
    compared.store(0, ordering: .releasing)
  }

  @inline(__always)
  func requireUsable(in catalogue: Catalogue) throws {
    if compared.load(ordering: .acquiring) == catalogue.generation { return }
    try compare(with: catalogue)
  }

  private func compare(with catalogue: Catalogue) throws {
    try state.withLock { state throws in
      guard let schema = state.schema else { return }
      try CatalogueBuilder.requireUsable(schema, in: catalogue)
      let places = schema.places(in: catalogue)
      // A property that is declared as ever may lie in other records since, and the handle's user goes by places.
      guard let moved = places.firstMoved(from: state.places ?? places) else { return state.places = places }
      throw StoreError(
        schema.version <= catalogue.schemaVersion ? .backwardMigration : .incompatibleSchema,
        "the store's schema has changed and keeps the values of \(moved) elsewhere: open the store anew")
    }
    compared.store(catalogue.generation, ordering: .releasing)
  }
}

/// Where a store keeps the values of a property.
private struct PropertyPlace {
  enum Place: Equatable {
    case field(EntityNumber, ordinal: Int)
    case links(EntityNumber, CatalogueRelationship.Storage)
  }

  let entity: String
  let property: String
  let place: Place?
}

extension [PropertyPlace] {
  /// The first property that lies elsewhere than in the places of the same schema before, as a sentence names it.
  fileprivate func firstMoved(from before: [PropertyPlace]) -> String? {
    zip(self, before).first { $0.place != $1.place }.map { now, _ in "\(now.entity).\(now.property)" }
  }
}

extension StoreSchema {
  /// The places of all properties, in the schema's order.
  fileprivate func places(in catalogue: Catalogue) -> [PropertyPlace] {
    entities.flatMap { definition -> [PropertyPlace] in
      let entity = catalogue.entity(named: definition.name)
      func place(_ property: String, _ place: (CatalogueEntity) -> PropertyPlace.Place?) -> PropertyPlace {
        PropertyPlace(entity: definition.name, property: property, place: entity.flatMap(place))
      }
      let attributes = definition.attributes.map { attribute in
        place(attribute.name) { entity in
          entity.field(named: attribute.name).map { .field(entity.number, ordinal: $0.ordinal) }
        }
      }
      return attributes
        + definition.relationships.map { relationship in
          place(relationship.name) { entity in
            entity.relationship(named: relationship.name).map { .links(entity.number, $0.storage) }
          }
        }
    }
  }
}
