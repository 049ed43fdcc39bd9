import RecordStore
import TestSupport

/// Queries over the shared schema, most of which find something.
struct RandomQueries {
  var generator: SeededGenerator
  let catalogue = QueryFixture.catalogue(isIndexed: false)

  mutating func query() -> RecordQuery {
    let entity = generator.pick([0, 0, 0, 0, 1, 2, 3])
    let sort = (0..<generator.pick([0, 1, 1, 2, 3])).map { _ in sortKey(entity) }
    return RecordQuery(
      entity: entity, filter: generator.oneIn(10) ? .all : filter(catalogue.entities[entity], depth: 3), sort: sort,
      limit: generator.oneIn(3) ? generator.pick([0, 1, 3, 10, 1_000]) : nil,
      offset: generator.oneIn(4) ? generator.pick([1, 2, 50]) : 0, includesSubentities: !generator.oneIn(3))
  }

  /// A query in the shape of an index: values for its first components, a condition on the next, the order of the rest.
  mutating func indexedQuery() -> RecordQuery {
    let index = generator.pick(QueryFixture.personIndexes)
    let equalCount = Int.random(in: 0...index.components.count, using: &generator)
    let fields = index.components.map { component in QueryFixture.personFields.first { $0.name == component.field }! }
    var terms = fields.prefix(equalCount).map { field in
      RecordFilter.compare(FieldPath(field.ordinal), .equal, constant(field))
    }
    if equalCount < fields.count {
      let field = fields[equalCount]
      for _ in 0..<generator.pick([0, 1, 2]) {
        terms.append(.compare(FieldPath(field.ordinal), comparison(), constant(field)))
      }
      if generator.oneIn(4) { terms.append(.oneOf(FieldPath(field.ordinal), [constant(field), constant(field)])) }
      if generator.oneIn(4), case .string(let text) = constant(field) {
        terms.append(.text(FieldPath(field.ordinal), .hasPrefix, String(text.prefix(generator.pick([1, 3, 6])))))
      }
    }
    if generator.oneIn(5) { terms.append(leaf(catalogue.entities[0])) }
    let isReversed = generator.oneIn(2)
    let sort = zip(fields, index.components).dropFirst(generator.oneIn(5) ? 0 : equalCount).map { field, component in
      RecordQuery.SortKey(
        FieldPath(field.ordinal), isDescending: component.isDescending != (isReversed != generator.oneIn(5)),
        comparison: component.isForPeople != generator.oneIn(5) ? .localizedStandard : .natural)
    }
    return RecordQuery(
      entity: 0, filter: terms.count == 1 ? terms[0] : .and(terms), sort: generator.oneIn(4) ? [] : sort,
      limit: generator.oneIn(2) ? generator.pick([1, 3, 10, 100]) : nil, offset: generator.oneIn(4) ? 2 : 0,
      includesSubentities: generator.oneIn(6))
  }

  private mutating func sortKey(_ entity: EntityNumber) -> RecordQuery.SortKey {
    let (path, _) = path(catalogue.entities[entity])
    return RecordQuery.SortKey(
      path, isDescending: generator.oneIn(2), comparison: generator.oneIn(3) ? .localizedStandard : .natural)
  }

  /// A field, sometimes behind one or two references.
  private mutating func path(_ entity: CatalogueEntity) -> (FieldPath, CatalogueField) {
    var ordinals: [Int] = []
    var entity = entity
    while true {
      let field = generator.pick(entity.fields)
      ordinals.append(field.ordinal)
      guard let destination = field.destination, ordinals.count < 3, !generator.oneIn(3) else {
        return (FieldPath(ordinals: ordinals), field)
      }
      entity = catalogue.entity(named: destination)!
    }
  }

  private mutating func constant(_ field: CatalogueField) -> FieldValue {
    generator.oneIn(10) ? .null : generator.pick(QueryFixture.pools[field.name]!)
  }

  private mutating func filter(_ entity: CatalogueEntity, depth: Int) -> RecordFilter {
    if depth > 0, generator.oneIn(2) {
      let terms = (0..<Int.random(in: 1...3, using: &generator)).map { _ in filter(entity, depth: depth - 1) }
      return generator.pick([.and(terms), .and(terms), .or(terms), .not(terms[0])])
    }
    if depth > 0, generator.oneIn(6), let name = relationship(entity) {
      return related(name, entity, depth: depth - 1)
    }
    return leaf(entity)
  }

  private mutating func relationship(_ entity: CatalogueEntity) -> CatalogueRelationship? {
    // Relationships are named on the entity that declares them; an employee's are a person's.
    entity.number == 1 ? nil : entity.relationships.randomElement(using: &generator)
  }

  private mutating func related(
    _ relationship: CatalogueRelationship, _ entity: CatalogueEntity, depth: Int
  ) -> RecordFilter {
    let inner: RecordFilter =
      generator.oneIn(4) ? .all : filter(catalogue.entity(named: relationship.destination)!, depth: depth)
    switch generator.pick([0, 1, 2]) {
    case 0: return .anyRelated(relationship: relationship.name, inner)
    case 1: return .allRelated(relationship: relationship.name, inner)
    default:
      return .countRelated(relationship: relationship.name, inner, comparison(), generator.pick([-1, 0, 1, 2, 5]))
    }
  }

  private mutating func leaf(_ entity: CatalogueEntity) -> RecordFilter {
    let (path, field) = path(entity)
    switch generator.pick([0, 0, 0, 1, 2, 3, 4, 5]) {
    case 1: return .oneOf(path, (0..<generator.pick([0, 1, 2, 4])).map { _ in constant(field) })
    case 2: return .ids(Set((0..<generator.pick([0, 1, 20])).map { _ in generator.pick(ids(entity)) }))
    case 3:
      let (other, otherField) = self.path(entity)
      guard field.type == otherField.type else { return .compare(path, comparison(), constant(field)) }
      return .compareFields(path, comparison(), other)
    case 4 where field.type == .string || field.type == .url:
      let text = generator.pick([
        "", "a", "A", "E\u{301}", "É", "item", "item 9", "long ", "\n", "e", "https://a", "Ї", "x",
      ])
      return .text(path, generator.pick([.contains, .hasPrefix, .hasSuffix]), text)
    case 5 where field.type == .string:
      return .localizedContains(path, generator.pick(["", "a", "EMILE", "é", "їж", "9", "NN"]))
    default: return .compare(path, comparison(), constant(field))
    }
  }

  private func ids(_ entity: CatalogueEntity) -> [RecordID] {
    (0..<30).map { QueryFixture.id(entity.number < 2 ? $0 % 2 : entity.number, $0) }
  }

  private mutating func comparison() -> RecordFilter.Comparison {
    generator.pick([.equal, .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual])
  }
}
