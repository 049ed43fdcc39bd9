import Foundation
import RecordStore

@testable import Tandem

/// A filter as people write it, with the names of a class.
struct FilterText {
  private let table: PropertyTable
  init<M: PersistentModel>(of type: M.Type) { table = FilterOracle.table(of: type) }
  private init(_ table: PropertyTable) { self.table = table }

  func text(_ filter: RecordFilter) -> String {
    switch filter {
    case .all: "all"
    case .none: "none"
    case .compare(let path, let comparison, let value): "\(name(path)) \(sign(comparison)) \(text(value))"
    case .compareFields(let left, let comparison, let right): "\(name(left)) \(sign(comparison)) \(name(right))"
    case .oneOf(let path, let values):
      "\(name(path)) in [\(values.map(text).sorted().joined(separator: ", "))]"
    case .text(let path, let match, let part): "\(name(path)) \(match) \"\(part)\""
    case .localizedContains(let path, let part): "\(name(path)) contains for people \"\(part)\""
    case .ids(let ids): "id in [\(ids.map { "#\($0.low)" }.sorted().joined(separator: ", "))]"
    case .anyRelated(let name, let inner): "any \(name)(\(related(name, inner)))"
    case .allRelated(let name, let inner): "all \(name)(\(related(name, inner)))"
    case .countRelated(let name, let inner, let comparison, let count):
      "count \(name)(\(related(name, inner))) \(sign(comparison)) \(count)"
    case .and(let parts): parts.map { "(\(text($0)))" }.joined(separator: " and ")
    case .or(let parts): parts.map { "(\(text($0)))" }.joined(separator: " or ")
    case .not(let part): "not (\(text(part)))"
    }
  }

  private func related(_ name: String, _ filter: RecordFilter) -> String {
    guard let property = table.description.properties.first(where: { $0.name == name }),
      let other = table.destination(property.index)
    else { return "?" }
    return FilterText(other).text(filter)
  }

  private func name(_ path: FieldPath) -> String {
    guard let first = path.ordinals.first else { return "self" }
    let own = table.description.properties[first].name
    guard path.ordinals.count > 1, let other = table.destination(first) else { return own }
    return own + "." + FilterText(other).name(FieldPath(ordinals: Array(path.ordinals.dropFirst())))
  }

  private func sign(_ comparison: RecordFilter.Comparison) -> String {
    switch comparison {
    case .equal: "=="
    case .notEqual: "!="
    case .less: "<"
    case .lessOrEqual: "<="
    case .greater: ">"
    case .greaterOrEqual: ">="
    }
  }

  private func text(_ value: FieldValue) -> String {
    switch value {
    case .null: "nil"
    case .string(let text): "\"\(text)\""
    case .int(let number): "\(number)"
    case .bool(let value): "\(value)"
    case .decimal(let number): "\(number)"
    case .date(let date): "\(date.timeIntervalSinceReferenceDate) s"
    case .uuid(let code): code.uuidString.suffix(2).description
    case .reference(let id): "#\(id.low)"
    default: "\(value)"
    }
  }
}
