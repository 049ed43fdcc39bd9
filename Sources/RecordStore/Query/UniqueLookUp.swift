/// The commonest query, one record by a unique value, answered without making a plan: that would cost more than
/// the look-up. The result is that of the plan.
struct UniqueLookUp {
  private let source: QuerySource
  private let entity: EntityNumber
  private let index: CatalogueIndex
  private let value: FieldValue

  /// Nil unless the query is an equality with one field that a unique index holds alone, of one entity, from
  /// the first record on, and with a value of the field's type.
  init?(_ query: RecordQuery, in source: QuerySource) throws {
    guard case .compare(let path, .equal, let value) = query.filter, path.ordinals.count == 1, query.sort.isEmpty,
      query.offset == 0, query.limit ?? 1 > 0, !value.isNotANumber,
      case let entities = source.catalogue.entities, entities.indices.contains(query.entity),
      let index = Self.index(over: path.ordinals[0], of: query.entity, type: value.type, in: entities),
      !query.includesSubentities || !Self.hasSubentities(query.entity, in: entities)
    else { return nil }
    self.source = source
    entity = query.entity
    self.index = index
    self.value = value
  }

  private static func index(
    over ordinal: Int, of entity: EntityNumber, type: FieldType?, in entities: [CatalogueEntity]
  ) -> CatalogueIndex? {
    let fields = entities[entity].fields
    guard fields.indices.contains(ordinal), fields[ordinal].type == type else { return nil }
    return entities[entity].indexes.first {
      $0.isUnique && $0.components.count == 1 && $0.components[0].ordinal == ordinal
    }
  }

  private static func hasSubentities(_ entity: EntityNumber, in entities: [CatalogueEntity]) -> Bool {
    entities.contains { $0.superentity != nil && $0.superentity == entities[entity].name }
  }

  /// The record that the index names.
  func id() throws -> RecordID? { try source.lookUp(index, [value]) }

  func row(_ id: RecordID) throws -> QueryRow {
    guard let bytes = try source.record(id, of: entity) else {
      let name = source.catalogue.entities[entity]
      throw IndexReader.damaged(name, "index \(index.number) names a record that is not there")
    }
    return QueryRow(id: id, entity: entity, bytes: bytes)
  }
}
