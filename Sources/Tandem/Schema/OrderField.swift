import RecordStore

/// The attribute in which the objects of an ordered relationship hold their position: one beside those that their class
/// declares, with a name that no property can have.
enum OrderField {
  static func name(of property: PropertyDescription, in owner: ModelDescription) -> String {
    "\(owner.name).\(property.name).order"
  }

  /// Whether a field holds positions.
  static func isPosition(_ field: CatalogueField) -> Bool { field.name.hasSuffix(".order") }

  /// The attributes for positions that the ordered relationships of a schema need in a class. Throws for a relationship
  /// that cannot be ordered.
  static func attributes(
    in destination: ModelDescription, of schema: [ModelDescription]
  ) throws -> [AttributeDefinition] {
    try schema.flatMap { owner in
      try owner.properties.filter { $0.isOrdered && $0.destination == destination.type }.map { property in
        guard owner.inverse(of: property.index)?.isToMany != true else {
          throw SwiftDataError(
            .unsupportedSchema,
            "\(owner.name).\(property.name) is ordered, and many-to-many: an object has one position, so make the "
              + "other side a to-one, or put an object of its own between the two")
        }
        return AttributeDefinition(name: name(of: property, in: owner), type: .string, isOptional: true)
      }
    }
  }
}
