import LMDB

/// Takes the rows of a query in batches, and aggregates the fields that a request reads of them.
final class AggregateIntake {
  private let request: AggregateQuery
  private let base: CatalogueEntity
  private let source: QuerySource
  private let paths: [FieldPath?]
  private var aggregator: Aggregator
  /// The entity of the latest batch, and what reads the fields of its records.
  private var entity: EntityNumber = -1
  private var readers: [PathReader?] = []

  init(_ request: AggregateQuery, in source: QuerySource) throws {
    self.request = request
    self.source = source
    let base = try source.entity(request.query.entity)
    self.base = base
    paths = request.keys + request.functions.map(\.path)
    aggregator = try Aggregator(request) { path in
      try FilterCompiler(source: source, base: base, entity: base).reader(path).type
    }
  }

  /// Takes rows of one entity.
  func add(_ rows: [QueryRow], of number: EntityNumber) throws {
    if number != entity {
      let compiler = FilterCompiler(source: source, base: base, entity: try source.entity(number))
      readers = try paths.map { path in try path.map { try compiler.reader($0) } }
      entity = number
    }
    try aggregator.add(rows, readers)
  }

  /// Whether rows may be taken in parts: their own bytes say everything, and what parts give can be put together.
  var canTakeParts: Bool {
    paths.allSatisfy { $0?.isInRecord ?? true } && aggregator.canBeAdded
  }

  /// An empty one, for a part of the rows.
  func part() throws -> AggregateIntake { try AggregateIntake(request, in: source) }

  /// Adds what parts of the rows gave. False, and nothing is added, where only all rows in turn tell: where a sum
  /// leaves the numbers of its type on the way.
  func add(_ parts: [AggregateIntake]) -> Bool {
    guard parts.allSatisfy(\.aggregator.canBeAdded) else { return false }
    for part in parts { aggregator.add(part.aggregator) }
    return true
  }

  func rows() -> [AggregateRow] { aggregator.rows() }
}
