extension Catalogue {
  /// The relationship that a reference field is one of, as `Entity.property`, for messages: the name of a join, or of a
  /// field that nobody declared, says nothing to a person.
  func title(of field: CatalogueField, in holder: CatalogueEntity) -> String {
    let storage: CatalogueRelationship.Storage
    if let opposite = opposite(of: field, in: holder) {
      storage = .join(entity: holder.number, near: opposite.ordinal, far: field.ordinal)
    } else if holder.relationships.contains(where: { $0.storage == .reference(ordinal: field.ordinal) }) {
      return "\(holder.name).\(field.name)"
    } else {
      storage = .inverse(entity: holder.number, ordinal: field.ordinal)
    }
    for entity in entities {
      if let found = entity.relationships.first(where: { $0.storage == storage }) {
        return "\(entity.name).\(found.name)"
      }
    }
    return "\(holder.name).\(field.name)"
  }

  /// The entity whose records a relationship counts that sees a reference field from its target.
  func counted(by field: CatalogueField, in holder: CatalogueEntity) -> String {
    opposite(of: field, in: holder)?.destination ?? holder.name
  }

  /// The other side of a join.
  private func opposite(of field: CatalogueField, in holder: CatalogueEntity) -> CatalogueField? {
    holder.isJoin ? holder.fields.first { $0.type == .reference && $0.ordinal != field.ordinal } : nil
  }
}
