import Foundation
import LMDB

extension QuerySource {
  /// One pass over the records that the query finds, on their bytes; a minimum or maximum that an index begins or ends
  /// with is one look-up.
  package func aggregate(_ request: AggregateQuery) throws -> [AggregateRow] {
    if let value = try extremeByIndex(request) { return [AggregateRow(keys: [], values: [.value(value)])] }
    var request = request
    // The order matters only where some are left out.
    if request.query.limit == nil, request.query.offset == 0 { request.query.sort = [] }
    let intake = try AggregateIntake(request, in: self)
    try execution(of: request.query).give(to: intake)
    return intake.rows()
  }

  /// The only minimum or maximum asked for, where an index holds the field's values in order; nil otherwise.
  private func extremeByIndex(_ request: AggregateQuery) throws -> FieldValue? {
    guard request.keys.isEmpty, request.functions.count == 1, request.query.limit == nil, request.query.offset == 0,
      let (path, isMaximum) = request.functions[0].extreme, path.ordinals.count == 1
    else { return nil }
    let entity = try entity(request.query.entity)
    guard entity.fields.indices.contains(path.ordinals[0]),
      let least = entity.fields[path.ordinals[0]].type.leastValue
    else { return nil }
    var query = request.query
    // Leaves out nil and not-a-number, and gives the index its range.
    query.filter = .and([query.filter, .compare(path, .greaterOrEqual, least)])
    query.sort = [RecordQuery.SortKey(path, isDescending: isMaximum)]
    query.limit = 1
    let plan = try QueryPlanner.plan(query, in: self)
    guard !plan.isSorting, plan.branches.allSatisfy(\.isIndexed) else { return nil }
    var found: FieldValue?
    let reader = try FilterCompiler(source: self, base: entity, entity: entity).reader(path)
    try QueryExecution(plan, in: self).forEachRow { row in
      found = try reader.bytes(in: row).flatMap { FieldValue(encoded: $0, type: reader.type)?.resolved }
      return false
    }
    return found ?? .null
  }
}

extension AggregateFunction {
  fileprivate var extreme: (path: FieldPath, isMaximum: Bool)? {
    switch self {
    case .minimum(let path): (path, false)
    case .maximum(let path): (path, true)
    case .count, .countValues, .countDistinct, .sum: nil
    }
  }
}

extension QueryPlan.Branch {
  fileprivate var isIndexed: Bool { if case .index = access { true } else { false } }
}

extension FieldType {
  /// The least value of the type; nil where there is no such value, or no order.
  fileprivate var leastValue: FieldValue? {
    switch self {
    case .int: .int(.min)
    case .uint: .uint(0)
    case .double: .double(-.infinity)
    case .date: .date(Date(timeIntervalSinceReferenceDate: -.infinity))
    case .string: .string("")
    case .bool, .decimal, .uuid, .data, .url, .composite, .reference: nil
    }
  }
}

extension StoreSnapshot {
  /// Computes over the records that a query finds; see ``AggregateQuery`` for what the values mean. Checksums are not
  /// looked at, as nothing is copied. Throws `invalidRequest` for a request that contradicts the catalogue.
  package func aggregate(_ request: AggregateQuery) throws -> [AggregateRow] { try querySource.aggregate(request) }
}
