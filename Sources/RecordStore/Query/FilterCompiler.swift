import Foundation

/// Turns a filter into nodes over bytes, once per query and entity.
///
/// Paths and relationships name fields of `base`, the queried entity; the records read are of `entity`, which
/// is `base` or inherits from it. Throws `invalidRequest` where the filter contradicts the catalogue.
struct FilterCompiler {
  let source: QuerySource
  let base: CatalogueEntity
  let entity: CatalogueEntity

  func compile(_ filter: RecordFilter) throws -> FilterNode {
    switch filter {
    case .all: return ConstantNode(true)
    case .none: return ConstantNode(false)
    case .compare(let path, let comparison, let value): return try comparisonNode(path, comparison, value)
    case .compareFields(let left, let comparison, let right):
      return try fieldComparisonNode(left, comparison, right)
    case .oneOf(let path, let values):
      let reader = try reader(path)
      try values.forEach { try requireType(of: $0, path, reader.type) }
      return MembershipNode(reader, values)
    case .text(let path, let match, let text): return TextNode(try textReader(path), match, text)
    case .localizedContains(let path, let text): return LocalizedTextNode(try textReader(path), text)
    case .ids(let ids): return IdentifierNode(ids)
    case .anyRelated(let name, let inner): return try relatedNode(name, inner) { .any($0) }
    case .allRelated(let name, let inner): return try relatedNode(name, .not(inner).simplified()) { .none($0) }
    case .countRelated(let name, let inner, let comparison, let count):
      return try relatedNode(name, inner) { .count($0, comparison, count) }
    case .and(let terms): return tree(try terms.map(compile)[...], whenEmpty: true, AndNode.init)
    case .or(let terms): return tree(try terms.map(compile)[...], whenEmpty: false, OrNode.init)
    case .not(let inner): return NotNode(try compile(inner))
    }
  }

  /// Throws where ``compile(_:)`` would. The commonest conditions, comparisons of the entity's own fields with
  /// constants, are checked without making anything, and lists, which can be long, without their keys.
  func check(_ filter: RecordFilter) throws {
    switch filter {
    case .all, .none: return
    case .and(let terms): for term in terms { try check(term) }
    case .compare(let path, _, let value) where path.ordinals.count == 1:
      let ordinal = path.ordinals[0]
      guard base.fields.indices.contains(ordinal) else { throw unknownField(ordinal) }
      try requireType(of: value, path, base.fields[ordinal].type)
    case .oneOf(let path, let values):
      let type = try reader(path).type
      for value in values { try requireType(of: value, path, type) }
    default: _ = try compile(filter)
    }
  }

  /// Nodes in their order, joined in pairs and pairs of pairs: of thousands too the tree is not deep.
  private func tree(
    _ nodes: ArraySlice<FilterNode>, whenEmpty value: Bool, _ join: (FilterNode, FilterNode) -> FilterNode
  ) -> FilterNode {
    guard nodes.count > 1 else { return nodes.first ?? ConstantNode(value) }
    let middle = nodes.startIndex + nodes.count / 2
    return join(
      tree(nodes[..<middle], whenEmpty: value, join), tree(nodes[middle...], whenEmpty: value, join))
  }

  private func comparisonNode(
    _ path: FieldPath, _ comparison: RecordFilter.Comparison, _ value: FieldValue
  ) throws -> FilterNode {
    let reader = try reader(path)
    try requireType(of: value, path, reader.type)
    switch value {
    case .null:
      guard comparison == .equal || comparison == .notEqual else { return ConstantNode(false) }
      return NullNode(reader, passesNull: comparison == .equal)
    case .bool(let value): return FixedComparisonNode(reader, comparison, .byte(value ? 1 : 0))
    case .int(let value): return FixedComparisonNode(reader, comparison, .int(value))
    case .uint(let value): return FixedComparisonNode(reader, comparison, .uint(value))
    case .double(let value): return FixedComparisonNode(reader, comparison, .double(value))
    case .date(let value):
      return FixedComparisonNode(reader, comparison, .double(value.timeIntervalSinceReferenceDate))
    case .reference(let value): return FixedComparisonNode(reader, comparison, .id(value))
    case .uuid, .decimal, .string, .url, .data, .composite: return BytesComparisonNode(reader, comparison, value)
    }
  }

  private func fieldComparisonNode(
    _ left: FieldPath, _ comparison: RecordFilter.Comparison, _ right: FieldPath
  ) throws -> FilterNode {
    let readers = (try reader(left), try reader(right))
    guard readers.0.type == readers.1.type else {
      throw invalid("compares a field of type \(readers.0.type) with one of type \(readers.1.type)")
    }
    return FieldComparisonNode(readers.0, comparison, readers.1)
  }

  private func relatedNode(
    _ name: String, _ filter: RecordFilter, _ question: (RelatedRecords) -> RelatedNode.Question
  ) throws -> FilterNode {
    guard let relationship = entity.relationship(named: name) ?? base.relationship(named: name) else {
      throw invalid("names the relationship '\(name)', which the entity does not have")
    }
    return RelatedNode(question(try RelatedRecords(relationship, of: entity, filter: filter, in: source)))
  }

  /// A reader of the field at the end of a path.
  func reader(_ path: FieldPath) throws -> PathReader {
    guard !path.ordinals.isEmpty else { throw invalid("has an empty path") }
    return try reader(path.ordinals[...])
  }

  private func reader(_ ordinals: ArraySlice<Int>) throws -> PathReader {
    guard let ordinal = ordinals.first, base.fields.indices.contains(ordinal) else {
      throw unknownField(ordinals.first ?? -1)
    }
    let field = base.fields[ordinal]
    let first = FieldReader(field, in: entity)
    let rest = ordinals.dropFirst()
    guard !rest.isEmpty else { return PathReader(first: first, hop: nil) }
    guard let destination = field.destination.flatMap(source.catalogue.entity(named:)) else {
      throw invalid("goes through the field '\(field.name)', which is not a reference")
    }
    let targets = try source.family(of: destination).map { target in
      PathHop.Target(
        entity: target.number,
        reader: try FilterCompiler(source: source, base: destination, entity: target).reader(rest))
    }
    return PathReader(first: first, hop: PathHop(source: source, targets: targets))
  }

  private func textReader(_ path: FieldPath) throws -> PathReader {
    let reader = try reader(path)
    guard reader.type == .string || reader.type == .url else {
      throw invalid("looks for text in a field of type \(reader.type)")
    }
    return reader
  }

  private func requireType(of value: FieldValue, _ path: FieldPath, _ type: FieldType) throws {
    guard let valueType = value.type, valueType != type else { return }
    throw invalid("compares a field of type \(type) with a value of type \(valueType)")
  }

  private func unknownField(_ ordinal: Int) -> StoreError {
    invalid("names a field with ordinal \(ordinal), which the entity does not have")
  }

  private func invalid(_ flaw: String) -> StoreError {
    StoreError(.invalidRequest, "the query on \(base.name) \(flaw)")
  }
}
