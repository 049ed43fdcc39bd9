import Foundation
import RecordStore

@testable import Tandem

/// Decides filters as the documentation of ``RecordFilter`` says, on objects, by plain Swift.
struct FilterOracle {
  let table: PropertyTable

  /// The table of a class outside of any store: each property's number is its ordinal.
  static func table<M: PersistentModel>(of type: M.Type) -> PropertyTable { table(ModelDescription.of(type)) }

  private static func table(_ description: ModelDescription) -> PropertyTable {
    let ordinals = ContiguousArray(description.properties.map { $0.isToMany ? -1 : $0.index })
    return PropertyTable(description: description, ordinals: ordinals) { index in
      description.properties[index].destination.map { table(ModelDescription.of($0)) }
    }
  }

  func accepts(_ model: any PersistentModel, _ filter: RecordFilter) -> Bool {
    switch filter {
    case .all: return true
    case .none: return false
    case .compare(let path, let comparison, let right): return compare(value(model, path), comparison, right)
    case .compareFields(let left, let comparison, let right):
      return compare(value(model, left), comparison, value(model, right))
    case .oneOf(let path, let values): return values.contains { compare(value(model, path), .equal, $0) }
    case .text(let path, let match, let part):
      guard case .string(let text) = value(model, path) else { return false }
      switch match {
      case .contains: return CharacterSearch.contains(text, part)
      case .hasPrefix: return text.starts(with: part)
      case .hasSuffix: return text.hasSuffix(part)
      }
    case .localizedContains(let path, let part):
      guard case .string(let text) = value(model, path) else { return false }
      let folded = CanonicalText.folded(text)
      return part.isEmpty || Array(folded.utf8).contains(sequence: Array(CanonicalText.folded(part).utf8))
    case .ids(let ids): return ids.contains(model._$storage.recordID)
    case .anyRelated(let name, let inner): return related(model, name, inner) > 0
    case .allRelated(let name, let inner): return related(model, name, .not(inner)) == 0
    case .countRelated(let name, let inner, let comparison, let count):
      return compare(.int(Int64(related(model, name, inner))), comparison, .int(Int64(count)))
    case .and(let parts): return parts.allSatisfy { accepts(model, $0) }
    case .or(let parts): return parts.contains { accepts(model, $0) }
    case .not(let part): return !accepts(model, part)
    }
  }

  private func related(_ model: any PersistentModel, _ name: String, _ filter: RecordFilter) -> Int {
    guard let property = table.description.properties.first(where: { $0.name == name }),
      let other = table.destination(property.index)
    else { return 0 }
    return model._$storage.members(property.index).count { FilterOracle(table: other).accepts($0, filter) }
  }

  private func value(_ model: any PersistentModel, _ path: FieldPath) -> FieldValue {
    guard let ordinal = path.ordinals.first else { return .null }
    guard path.ordinals.count > 1 else { return model._$storage.fieldValue(ordinal) }
    guard let target = model._$storage.target(ordinal), let other = table.destination(ordinal) else { return .null }
    return FilterOracle(table: other).value(target, FieldPath(ordinals: Array(path.ordinals.dropFirst())))
  }

  private func compare(_ left: FieldValue, _ comparison: RecordFilter.Comparison, _ right: FieldValue) -> Bool {
    if left == .null || right == .null {
      switch comparison {
      case .equal: return left == right
      case .notEqual: return left != right
      default: return false
      }
    }
    switch (left, right) {
    case (.reference(let left), .reference(let right)): return (left == right) == (comparison == .equal)
    default: return comparison.holds(left, right) ?? false
    }
  }
}

extension Array where Element: Equatable {
  fileprivate func contains(sequence: [Element]) -> Bool {
    indices.contains { self[$0...].starts(with: sequence) }
  }
}
