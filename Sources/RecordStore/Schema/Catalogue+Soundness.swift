extension Catalogue {
  /// Whether numbers stand at their places, and every ordinal and entity that is named exists: later code may index
  /// without asking. Asked of what is read, from the store or from another device.
  package var isSound: Bool {
    entities.enumerated().allSatisfy { number, entity in
      let ordinals = entity.fields.indices
      return entity.number == number && entity.fields.enumerated().allSatisfy { $0 == $1.ordinal }
        && entity.indexes.allSatisfy { index in
          index.components.allSatisfy {
            ordinals.contains($0.ordinal)
              && (!$0.isForPeople || !index.isUnique && entity.fields[$0.ordinal].type == .string)
          }
        }
        && entity.fieldGroups.allSatisfy { $0.allSatisfy(ordinals.contains) }
        && entity.relationships.allSatisfy { isSound($0.storage, of: entity) }
    }
  }

  private func isSound(_ storage: CatalogueRelationship.Storage, of entity: CatalogueEntity) -> Bool {
    func exists(_ number: Int, _ ordinal: Int) -> Bool {
      entities.indices.contains(number) && entities[number].fields.indices.contains(ordinal)
    }
    switch storage {
    case .reference(let ordinal): return exists(entity.number, ordinal)
    case .inverse(let number, let ordinal): return exists(number, ordinal)
    case .join(let number, let near, let far): return exists(number, near) && exists(number, far)
    }
  }
}
