// Older versions as a store of a later one becomes them.
extension StoreSchema {
  /// The schema as a step after another one: on the way back with the renames of the later one undone, which alone
  /// knows of them.
  package func following(_ former: StoreSchema) -> StoreSchema {
    guard version < former.version else { return self }
    var schema = self
    for index in schema.entities.indices {
      let name = schema.entities[index].name
      if let known = former.entities.first(where: { $0.name == name }) {
        schema.entities[index].undoRenames(of: known)
      } else if let renamed = former.entities.first(where: { $0.originalName == name }),
        !entities.contains(where: { $0.name == renamed.name })
      {
        schema.entities[index].originalName = renamed.name
        schema.entities[index].undoRenames(of: renamed)
      }
    }
    return schema
  }
}

extension EntityDefinition {
  fileprivate mutating func undoRenames(of later: EntityDefinition) {
    let names = Set(attributes.map(\.name) + relationships.map(\.name))
    let laterNames = Set(later.attributes.map(\.name) + later.relationships.map(\.name))
    /// The latest former name of a property, if it is called otherwise here.
    func former(_ name: String, _ renamed: [(name: String, originalName: String?)]) -> String? {
      guard !laterNames.contains(name) else { return nil }
      return renamed.first { $0.originalName == name && !names.contains($0.name) }?.name
    }
    let laterAttributes = later.attributes.map { ($0.name, $0.originalName) }
    for index in attributes.indices {
      if let name = former(attributes[index].name, laterAttributes) { attributes[index].originalName = name }
    }
    let laterRelationships = later.relationships.map { ($0.name, $0.originalName) }
    for index in relationships.indices {
      if let name = former(relationships[index].name, laterRelationships) { relationships[index].originalName = name }
    }
  }
}
