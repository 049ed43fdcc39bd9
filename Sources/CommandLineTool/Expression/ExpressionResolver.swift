import Foundation
import RecordStore
import StoreInspection

/// Turns a parsed condition into a filter over one catalogue: names become ordinals, values get their field's type.
struct ExpressionResolver {
  let catalogue: Catalogue
  let entity: CatalogueEntity

  func filter(_ expression: Expression) throws(ExpressionError) -> RecordFilter {
    switch expression {
    case .or(let parts): return .or(try filters(parts))
    case .and(let parts): return .and(try filters(parts))
    case .not(let inner): return .not(try filter(inner))
    case .flag(let name): return try flag(name)
    case .compare(let name, let comparison, let operand): return try compare(name, comparison, operand)
    case .oneOf(let name, let literals): return try oneOf(name, literals)
    case .match(let name, let match, let literal): return try text(name, match, literal)
    case .related(let quantifier, let name, let inner): return try related(quantifier, name, inner)
    }
  }

  private func filters(_ parts: [Expression]) throws(ExpressionError) -> [RecordFilter] {
    var filters: [RecordFilter] = []
    for part in parts { filters.append(try filter(part)) }
    return filters
  }

  private func flag(_ name: Expression.Name) throws(ExpressionError) -> RecordFilter {
    let (path, field) = try resolve(name)
    guard field.type == .bool else {
      throw ExpressionError(
        "'\(name.text)' holds \(field.type.plural), so say what it is compared with, such as \(name.text) != null",
        at: name.column)
    }
    return .compare(path, .equal, .bool(true))
  }

  private func compare(
    _ name: Expression.Name, _ comparison: RecordFilter.Comparison, _ operand: Expression.Operand
  ) throws(ExpressionError) -> RecordFilter {
    switch operand {
    case .literal(let literal):
      if name.text == "@id" { return try recordID(comparison, literal, at: name.column) }
      let (path, field) = try resolve(name)
      let value = try LiteralReader(field: field).value(literal)
      if value == .null, comparison != .equal, comparison != .notEqual {
        throw ExpressionError("null has no order; only = and != compare with it", at: literal.column)
      }
      return .compare(path, comparison, value)
    case .name(let other):
      let (path, field) = try resolve(name)
      let (otherPath, otherField) = try resolve(other)
      guard field.type == otherField.type else {
        throw ExpressionError(
          "'\(other.text)' holds \(otherField.type.plural), '\(name.text)' \(field.type.plural); "
            + "only equal types compare (put text into quotes)", at: other.column)
      }
      return .compareFields(path, comparison, otherPath)
    }
  }

  private func recordID(
    _ comparison: RecordFilter.Comparison, _ literal: Expression.Literal, at column: Int
  ) throws(ExpressionError) -> RecordFilter {
    guard comparison == .equal || comparison == .notEqual else {
      throw ExpressionError("@id compares only by = and != and in", at: column)
    }
    let filter = RecordFilter.ids([try LiteralReader.recordID(literal)])
    return comparison == .equal ? filter : .not(filter)
  }

  private func oneOf(
    _ name: Expression.Name, _ literals: [Expression.Literal]
  ) throws(ExpressionError) -> RecordFilter {
    if name.text == "@id" {
      var ids: Set<RecordID> = []
      for literal in literals { ids.insert(try LiteralReader.recordID(literal)) }
      return .ids(ids)
    }
    let (path, field) = try resolve(name)
    var values: [FieldValue] = []
    for literal in literals { values.append(try LiteralReader(field: field).value(literal)) }
    return .oneOf(path, values)
  }

  private func text(
    _ name: Expression.Name, _ match: Expression.TextMatch, _ literal: Expression.Literal
  ) throws(ExpressionError) -> RecordFilter {
    let (path, field) = try resolve(name)
    guard field.type == .string || field.type == .url else {
      throw ExpressionError(
        "'\(name.text)' holds \(field.type.plural); '\(match.rawValue)' looks into text", at: name.column)
    }
    guard case .string(let text) = literal.value else {
      throw ExpressionError("'\(match.rawValue)' needs a text in quotes", at: literal.column)
    }
    return switch match {
    case .contains: .text(path, .contains, text)
    case .startswith: .text(path, .hasPrefix, text)
    case .endswith: .text(path, .hasSuffix, text)
    case .search: .localizedContains(path, text)
    }
  }

  private func related(
    _ quantifier: Expression.Quantifier, _ name: Expression.Name, _ inner: Expression?
  ) throws(ExpressionError) -> RecordFilter {
    guard let relationship = entity.relationship(named: name.text), relationship.isToMany else {
      let known = entity.relationships.filter(\.isToMany).map(\.name)
      throw ExpressionError(
        "'\(entity.name)' has no to-many relationship '\(name.text)'; "
          + NameSuggestion.sentence(for: name.text, among: known), at: name.column)
    }
    guard let destination = catalogue.entity(named: relationship.destination) else {
      throw ExpressionError("the store does not know '\(relationship.destination)' yet", at: name.column)
    }
    let resolver = ExpressionResolver(catalogue: catalogue, entity: destination)
    let filter = try inner.map { inner throws(ExpressionError) in try resolver.filter(inner) } ?? .all
    switch quantifier {
    case .any: return .anyRelated(relationship: name.text, filter)
    case .all: return .allRelated(relationship: name.text, filter)
    case .count(let comparison, let literal):
      guard case .number(let digits) = literal.value, let count = Int(digits) else {
        throw ExpressionError("'count' compares with a whole number", at: literal.column)
      }
      return .countRelated(relationship: name.text, filter, comparison, count)
    }
  }

  /// Follows a path through to-one relationships to a field.
  func resolve(_ name: Expression.Name) throws(ExpressionError) -> (path: FieldPath, field: CatalogueField) {
    var ordinals: [Int] = []
    var owner = entity
    var rest = name.parts[...]
    while !rest.isEmpty {
      let field = try takeField(from: &rest, of: owner, at: name.column)
      ordinals.append(field.ordinal)
      if rest.isEmpty { return (FieldPath(ordinals: ordinals), field) }
      guard let destination = field.destination.flatMap({ catalogue.entity(named: $0) }) else {
        throw ExpressionError(
          "'\(field.name)' of '\(owner.name)' holds \(field.type.plural) and leads nowhere; end the path there",
          at: name.column)
      }
      owner = destination
    }
    throw ExpressionError("expected the name of a field", at: name.column)
  }

  /// Takes the field with which the rest of a path begins. The name of a field may have points itself, as that of a
  /// subclass's property has: the longest name counts.
  private func takeField(
    from rest: inout ArraySlice<String>, of owner: CatalogueEntity, at column: Int
  ) throws(ExpressionError) -> CatalogueField {
    let whole = rest.joined(separator: ".")
    for count in stride(from: rest.count, to: 0, by: -1) {
      guard let field = owner.field(named: rest.prefix(count).joined(separator: ".")) else { continue }
      if count > 1, count < rest.count, field.destination == nil { continue }
      rest = rest.dropFirst(count)
      return field
    }
    throw unknown(owner.relationship(named: whole) == nil ? rest[rest.startIndex] : whole, of: owner, at: column)
  }

  private func unknown(_ part: String, of owner: CatalogueEntity, at column: Int) -> ExpressionError {
    if part == "@id" {
      return ExpressionError(
        "'@id' is no field: it stands alone in a condition, with =, != or in and an id in quotes, and nothing sorts, "
          + "groups or computes by it", at: column)
    }
    if part.hasPrefix("@") {
      return ExpressionError("'\(part)' is not known; '@id' is the record's id, '@field.x' a field", at: column)
    }
    if let relationship = owner.relationship(named: part) {
      return ExpressionError(
        relationship.isToMany
          ? "'\(part)' leads to many; use any \(part) (…), all \(part) (…) or count \(part) > 0"
          : "'\(part)' is stored on the other side, on '\(relationship.destination)'; query that entity", at: column)
    }
    let known = owner.fields.filter { !$0.name.hasPrefix("~") }.map(\.name)
    return ExpressionError(
      "'\(owner.name)' has no field '\(part)'; " + NameSuggestion.sentence(for: part, among: known), at: column)
  }
}

extension FieldType {
  /// As messages name what a field holds.
  var plural: String {
    switch self {
    case .bool: "yes or no"
    case .int: "whole numbers"
    case .uint: "whole numbers from 0"
    case .double: "numbers"
    case .decimal: "exact numbers"
    case .string: "text"
    case .date: "dates"
    case .uuid: "UUIDs"
    case .data: "bytes"
    case .url: "URLs"
    case .composite: "an encoded value"
    case .reference: "a record"
    }
  }
}
