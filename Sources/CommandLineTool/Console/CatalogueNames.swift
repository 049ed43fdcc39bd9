import RecordStore

/// The names of a store's catalogue that a person may write: entities, fields and relationships.
struct CatalogueNames {
  private let catalogue: Catalogue

  init(_ catalogue: Catalogue) { self.catalogue = catalogue }

  var entities: [String] { declared.map(\.name) }

  private var declared: [CatalogueEntity] { catalogue.entities.filter { $0.isDeclared && !$0.isJoin } }

  /// Fields of the entities that a line names; of all, where it names none.
  func fields(after words: [String]) -> [String] {
    let named = declared.filter { words.contains($0.name) }
    return (named.isEmpty ? declared : named).flatMap { fields(of: $0) }
  }

  /// Fields of the entity that a line of the shell names; before that, the entities.
  func names(after words: [String], prefix: String) -> [String] {
    guard let entity = declared.first(where: { words.dropFirst().contains($0.name) }) else {
      return words.first == "edit" && words.count > 1 ? declared.flatMap { fields(of: $0) } : entities
    }
    return fields(of: entity, prefix: prefix)
  }

  /// With a path through to-one relationships as far as it is written: `list.na`.
  private func fields(of entity: CatalogueEntity, prefix: String) -> [String] {
    guard let point = prefix.firstIndex(of: "."), case let head = String(prefix[..<point]),
      let destination = entity.field(named: head)?.destination.flatMap({ catalogue.entity(named: $0) })
    else { return fields(of: entity) }
    let rest = String(prefix[prefix.index(after: point)...])
    return fields(of: destination, prefix: rest).map { "\(head).\($0)" }
  }

  private func fields(of entity: CatalogueEntity) -> [String] {
    let names = entity.fields.filter { $0.isDeclared && !$0.name.hasPrefix("~") && !$0.name.hasPrefix(".") }.map(\.name)
    return names + entity.relationships.map(\.name).filter { !names.contains($0) }
  }
}
