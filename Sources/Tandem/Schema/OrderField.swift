import RecordStore

/// The attribute in which the objects of an ordered relationship hold their position: one beside those that their class
/// declares, with a name that no property can have.
enum OrderField {
  static func name(of property: PropertyDescription, in owner: ModelDescription) -> String {
    "\(owner.declaring(property.index).name).\(property.name).order"
  }

  /// Whether a field holds positions.
  static func isPosition(_ field: CatalogueField) -> Bool {
    // A property of a subclass may be called `order`; its field has one point less.
    field.name.hasSuffix(".order") && field.name.count { $0 == "." } == 2
  }

  /// The attributes for positions that the ordered relationships of a schema need in the entity of a class and of those
  /// that inherit from it. Throws for a relationship that cannot be ordered.
  static func attributes(
    in destination: ModelDescription, of schema: [ModelDescription]
  ) throws -> [AttributeDefinition] {
    func leads(_ property: PropertyDescription) -> Bool {
      property.destination.map { ModelDescription.of($0).root === destination } ?? false
    }
    return try schema.flatMap { owner in
      try owner.ownProperties.filter { $0.isOrdered && leads($0) }.map { property in
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
