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
    let changes = NameChanges(later.propertyNameChanges) { names.contains($0) }
    let laterNames = Dictionary(changes.formerNames.map { ($1, $0) }) { first, _ in first }
    for index in attributes.indices {
      if let name = laterNames[attributes[index].name] { attributes[index].originalName = name }
    }
    for index in relationships.indices {
      if let name = laterNames[relationships[index].name] { relationships[index].originalName = name }
    }
  }
}
