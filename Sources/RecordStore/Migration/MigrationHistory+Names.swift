extension MigrationHistory {
  /// The schema wanted with all names that the versions had for what it declares. A store that begins with it knows by
  /// them what devices save that have earlier versions.
  package func naming(_ schema: StoreSchema) -> StoreSchema {
    var schema = schema
    for place in schema.entities.indices {
      let names = names(before: schema.entities[place].name) { later, earlier in
        NameChanges(later.entities.map { ($0.name, $0.originalName) }) { name in
          earlier.entities.contains { $0.name == name }
        }
      }
      var definition = schema.entities[place]
      definition.take(names)
      for index in definition.attributes.indices {
        let name = definition.attributes[index].name
        definition.attributes[index].take(self.names(before: name, ofEntityNamed: [definition.name] + names))
      }
      for index in definition.relationships.indices {
        let name = definition.relationships[index].name
        definition.relationships[index].take(self.names(before: name, ofEntityNamed: [definition.name] + names))
      }
      schema.entities[place] = definition
    }
    return schema
  }

  /// The names in the versions before the one wanted, newest first, as long as there was one; the same name over again
  /// where it stayed.
  private func names(
    before name: String, _ changes: (_ later: StoreSchema, _ earlier: StoreSchema) -> NameChanges?
  ) -> [String] {
    var names = [name]
    for position in stride(from: target, to: 0, by: -1) {
      guard let changes = changes(versions[position], versions[position - 1]),
        let former = names.last.flatMap(changes.formerName)
      else { break }
      names.append(former)
    }
    return Array(names.dropFirst())
  }

  private func names(before name: String, ofEntityNamed entityNames: [String]) -> [String] {
    var entityNames = entityNames[...]
    return names(before: name) { later, earlier in
      guard let name = entityNames.popFirst(), let former = entityNames.first,
        let definition = later.entities.first(where: { $0.name == name }),
        let known = earlier.entities.first(where: { $0.name == former })
      else { return nil }
      return NameChanges(definition.propertyNameChanges) { name in
        known.propertyNameChanges.contains { $0.name == name }
      }
    }
  }
}

extension Renamable {
  /// `names`: newest first.
  fileprivate mutating func take(_ names: [String]) {
    var known = formerNames
    for former in names where former != name && !known.contains(former) { known.insert(former, at: 0) }
    if known != formerNames { formerNames = known }
  }
}
