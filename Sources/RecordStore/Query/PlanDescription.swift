import Foundation

/// A plan in words, one step a line: what people read and tests pin.
///
/// ```
/// fetch Person
///   index 2 on (city, age↓), backward: city = "Kyiv" and age < 30
///   filter: not name contains "x"
///   sort: name↓, height as for people
///   limit 10, offset 5
/// ```
struct PlanDescription {
  private let plan: QueryPlan
  private let catalogue: Catalogue
  private let base: CatalogueEntity

  init(_ plan: QueryPlan, catalogue: Catalogue) {
    self.plan = plan
    self.catalogue = catalogue
    base = catalogue.entities[plan.query.entity]
  }

  var text: String {
    var lines = ["fetch \(base.name)"]
    for branch in plan.branches {
      let entity = catalogue.entities[branch.entity]
      let prefix = plan.branches.count > 1 ? "\(entity.name): " : ""
      lines.append("  \(prefix)\(words(for: branch.access, entity))")
      if branch.remaining != .all, branch.access != .nothing {
        lines.append("  filter: \(words(for: branch.remaining, base))")
      }
    }
    if plan.isSorting { lines.append("  sort: \(sortWords)") }
    if let window = windowWords { lines.append("  \(window)") }
    return lines.joined(separator: "\n")
  }

  private var sortWords: String {
    guard !plan.query.sort.isEmpty else { return "id" }
    return plan.query.sort.map { key in
      words(for: key.path, base) + (key.isDescending ? "↓" : "")
        + (key.comparison == .localizedStandard ? " as for people" : "")
    }.joined(separator: ", ")
  }

  private var windowWords: String? {
    let limit = plan.query.limit.map { "limit \($0)" }
    let offset = plan.query.offset > 0 ? "offset \(plan.query.offset)" : nil
    let words = [limit, offset].compactMap(\.self)
    return words.isEmpty ? nil : words.joined(separator: ", ")
  }

  private func words(for access: QueryPlan.Access, _ entity: CatalogueEntity) -> String {
    switch access {
    case .nothing: return "nothing can match"
    case .ids(let ids): return ids.count == 1 ? "record \(ids[0])" : "\(ids.count) records by id"
    case .table: return "scan the table"
    case .index(let access):
      let components = access.index.components.map { component in
        entity.fields[component.ordinal].name + (component.isDescending ? "↓" : "")
          + (component.isForPeople ? " as for people" : "")
      }
      let kind = access.isPoint ? "look up in unique index" : access.index.isUnique ? "unique index" : "index"
      let conditions = access.conditions.map { words(for: $0, base) }.joined(separator: " and ")
      return "\(kind) \(access.index.number) on (\(components.joined(separator: ", ")))"
        + (access.isBackward ? ", backward" : "") + (conditions.isEmpty ? "" : ": \(conditions)")
    }
  }

  private func words(for path: FieldPath, _ entity: CatalogueEntity) -> String {
    var entity: CatalogueEntity? = entity
    return path.ordinals.map { ordinal in
      let field = entity.flatMap { $0.fields.indices.contains(ordinal) ? $0.fields[ordinal] : nil }
      entity = field?.destination.flatMap(catalogue.entity(named:))
      return field?.name ?? "?"
    }.joined(separator: ".")
  }

  private func words(for filter: RecordFilter, _ entity: CatalogueEntity) -> String {
    switch filter {
    case .all: "everything"
    case .none: "nothing"
    case .compare(let path, let comparison, let value):
      "\(words(for: path, entity)) \(comparison.sign) \(value.words)"
    case .compareFields(let left, let comparison, let right):
      "\(words(for: left, entity)) \(comparison.sign) \(words(for: right, entity))"
    case .oneOf(let path, let values): "\(words(for: path, entity)) in \(listWords(values))"
    case .text(let path, let match, let text):
      "\(words(for: path, entity)) \(match.words) \(FieldValue.string(text).words)"
    case .localizedContains(let path, let text):
      "\(words(for: path, entity)) contains for people \(FieldValue.string(text).words)"
    case .ids(let ids): ids.count == 1 ? "id is the one named" : "id is one of \(ids.count)"
    case .anyRelated(let name, let inner): "any \(name) (\(related(name, inner, entity)))"
    case .allRelated(let name, let inner): "all \(name) (\(related(name, inner, entity)))"
    case .countRelated(let name, let inner, let comparison, let count):
      "count of \(name) (\(related(name, inner, entity))) \(comparison.sign) \(count)"
    case .and(let terms): terms.map { nested($0, entity) }.joined(separator: " and ")
    case .or(let terms): terms.map { nested($0, entity) }.joined(separator: " or ")
    case .not(let inner): "not \(nested(inner, entity))"
    }
  }

  private func nested(_ filter: RecordFilter, _ entity: CatalogueEntity) -> String {
    switch filter {
    case .and, .or: "(\(words(for: filter, entity)))"
    default: words(for: filter, entity)
    }
  }

  private func related(_ name: String, _ filter: RecordFilter, _ entity: CatalogueEntity) -> String {
    let destination = entity.relationship(named: name).flatMap { catalogue.entity(named: $0.destination) }
    return words(for: filter, destination ?? entity)
  }

  private func listWords(_ values: [FieldValue]) -> String {
    let shown = values.prefix(5).map(\.words) + (values.count > 5 ? ["… (\(values.count))"] : [])
    return "[" + shown.joined(separator: ", ") + "]"
  }
}

extension RecordFilter.Comparison {
  fileprivate var sign: String {
    switch self {
    case .equal: "="
    case .notEqual: "≠"
    case .less: "<"
    case .lessOrEqual: "≤"
    case .greater: ">"
    case .greaterOrEqual: "≥"
    }
  }
}

extension RecordFilter.TextMatch {
  fileprivate var words: String {
    switch self {
    case .contains: "contains"
    case .hasPrefix: "begins with"
    case .hasSuffix: "ends with"
    }
  }
}

extension FieldValue {
  fileprivate var words: String {
    switch self {
    case .null: "null"
    case .bool(let value): "\(value)"
    case .int(let value): "\(value)"
    case .uint(let value): "\(value)"
    case .double(let value): "\(value)"
    case .decimal(let value): "\(value)"
    case .string(let value), .url(let value): "\"\(value)\""
    case .date(let value):
      // Years 1 to 9999; formatting knows no others.
      (-63_114_076_800..<252_423_993_600).contains(value.timeIntervalSinceReferenceDate)
        ? value.ISO8601Format() : "\(value.timeIntervalSinceReferenceDate) s"
    case .uuid(let value): value.uuidString
    case .data(let value), .composite(let value): "\(value.count) bytes"
    case .reference(let value): "\(value)"
    }
  }
}
