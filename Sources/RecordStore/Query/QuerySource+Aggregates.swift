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
    let base = try entity(request.query.entity)
    var aggregator = try Aggregator(request) { path in
      try FilterCompiler(source: self, base: base, entity: base).reader(path).type
    }
    var inputs = Inputs(request, base: base, source: self)
    try execution(of: request.query).forEachBatch { rows, entity in
      try aggregator.add(rows, try inputs.readers(of: entity))
    }
    return aggregator.rows()
  }

  /// The fields that a request reads, of each entity that occurs.
  private struct Inputs {
    private let paths: [FieldPath?]
    private let base: CatalogueEntity
    private let source: QuerySource
    private var entity: EntityNumber = -1
    private var current: [PathReader?] = []

    init(_ request: AggregateQuery, base: CatalogueEntity, source: QuerySource) {
      paths = request.keys + request.functions.map(\.path)
      self.base = base
      self.source = source
    }

    mutating func readers(of number: EntityNumber) throws -> [PathReader?] {
      if number == entity { return current }
      let compiler = FilterCompiler(source: source, base: base, entity: try source.entity(number))
      current = try paths.map { path in try path.map { try compiler.reader($0) } }
      entity = number
      return current
    }
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
