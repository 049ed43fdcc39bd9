/// Chooses how to run a query, from the catalogue alone: a pure function from query to plan.
///
/// In this order: named ids; one look-up in a unique index; the index with the most equalities on its first
/// components, then with a range, then the one that gives the order asked for; the index that gives the order
/// when there is a limit and no condition; the whole table. There are no statistics: a range that turns out to
/// hold much of the table is left by ``QueryExecution`` for a scan.
struct QueryPlanner {
  let catalogue: Catalogue
  let query: RecordQuery
  private let filter: RecordFilter

  static func plan(_ query: RecordQuery, in source: QuerySource) throws -> QueryPlan {
    var query = query
    query.filter = try query.filter.resolvingAliases { try source.canonical($0) }
    let entity = try source.entity(query.entity)
    guard query.limit ?? 0 >= 0, query.offset >= 0 else {
      throw StoreError(.invalidRequest, "the query on \(entity.name) has a negative limit or offset")
    }
    guard query.behind == nil || query.sort.isEmpty else {
      throw StoreError(.invalidRequest, "the query on \(entity.name) has an order, and goes on behind a record's id")
    }
    let family = query.includesSubentities ? source.family(of: entity) : [entity]
    let planner = QueryPlanner(catalogue: source.catalogue, query: query)
    var branches = family.map { planner.branch(for: $0, of: entity, isAlone: family.count == 1) }
    if family.count > 1 { branches.removeAll { $0.access == .nothing } }
    let isSorting = branches.count > 1 || branches.contains { !planner.isOrdered($0) }
    return QueryPlan(query: query, filter: planner.filter, branches: branches, isSorting: isSorting)
  }

  private init(catalogue: Catalogue, query: RecordQuery) {
    self.catalogue = catalogue
    self.query = query
    filter = query.filter.simplified()
  }

  /// Whether the branch's candidates come as the query orders them.
  private func isOrdered(_ branch: QueryPlan.Branch) -> Bool {
    switch branch.access {
    case .nothing: true
    case .ids, .table: query.sort.isEmpty
    case .index(let access): access.isOrdered
    }
  }

  private func branch(
    for entity: CatalogueEntity, of base: CatalogueEntity, isAlone: Bool
  ) -> QueryPlan.Branch {
    func made(_ access: QueryPlan.Access, _ remaining: RecordFilter) -> QueryPlan.Branch {
      QueryPlan.Branch(entity: entity.number, access: access, remaining: remaining)
    }
    guard filter != .none, query.limit != 0 else { return made(.nothing, .none) }
    let conjuncts = filter.conjuncts
    if let (ids, rest) = namedIDs(conjuncts) { return made(.ids(ids.sorted()), RecordFilter(conjuncts: rest)) }
    guard let best = bestIndex(of: entity, base, conjuncts, isAlone: isAlone) else { return made(.table, filter) }
    let rest = conjuncts.filter { !best.match.guaranteed.contains($0) }
    return made(.index(best.access), RecordFilter(conjuncts: rest))
  }

  /// The ids that every set of ids among the conditions has, and the other conditions.
  private func namedIDs(_ conjuncts: [RecordFilter]) -> (Set<RecordID>, [RecordFilter])? {
    var named: Set<RecordID>?
    var rest: [RecordFilter] = []
    for term in conjuncts {
      if case .ids(let ids) = term { named = named?.intersection(ids) ?? ids } else { rest.append(term) }
    }
    return named.map { ($0, rest) }
  }

  private typealias Candidate = (match: IndexMatch, access: QueryPlan.IndexAccess, score: Int)

  private func bestIndex(
    of entity: CatalogueEntity, _ base: CatalogueEntity, _ conjuncts: [RecordFilter], isAlone: Bool
  ) -> Candidate? {
    // A function's captures are copied at each use, and an entity is much to copy: the base itself is not captured.
    let (fields, other) = (base.fields, entity.number == base.number ? nil : entity)
    func ordinal(_ path: FieldPath) -> Int? {
      guard path.ordinals.count == 1, fields.indices.contains(path.ordinals[0]) else { return nil }
      guard let other else { return path.ordinals[0] }
      return other.field(named: fields[path.ordinals[0]].name)?.ordinal
    }
    let constrained = conjuncts.compactMap { $0.indexedPath.flatMap(ordinal) }
    let mayServeOrder = filter == .all && query.limit != nil && !query.sort.isEmpty
    var best: Candidate?
    for index in entity.indexes where mayServeOrder || constrained.contains(index.components[0].ordinal) {
      let match = IndexMatch(
        index, over: entity.fields, conjuncts: conjuncts, mayLackValues: catalogue.hasExternalValues, ordinal: ordinal)
      guard let candidate = candidate(match, ordinal, isAlone: isAlone) else { continue }
      if candidate.score > best?.score ?? 0 { best = candidate }
    }
    return best
  }

  private func candidate(_ match: IndexMatch, _ ordinal: (FieldPath) -> Int?, isAlone: Bool) -> Candidate? {
    var access = QueryPlan.IndexAccess(index: match.index, ranges: match.ranges)
    access.conditions = match.used
    access.isPoint = match.isPoint
    if isAlone, let direction = order(match, ordinal) {
      access.isOrdered = true
      access.isBackward = direction == .backward
    }
    guard !match.used.isEmpty else {
      // Without a condition the index serves its order only, and each record costs a look-up.
      guard access.isOrdered, !query.sort.isEmpty, query.limit != nil, filter == .all else { return nil }
      return (match, access, 1)
    }
    let score =
      (access.isPoint ? 10_000 : 0) + match.equalCount * 100 + (match.hasRange ? 40 : 0) + (access.isOrdered ? 10 : 0)
    return (match, access, score)
  }

  private enum Direction { case forward, backward }

  /// The direction in which the index gives the order asked for; nil if it does not.
  private func order(_ match: IndexMatch, _ ordinal: (FieldPath) -> Int?) -> Direction? {
    guard match.ranges.count <= 1 else { return nil }
    guard !match.isPoint else { return .forward }
    var keys: [(ordinal: Int, isDescending: Bool, isForPeople: Bool)] = []
    for key in query.sort {
      guard let ordinal = ordinal(key.path) else { return nil }
      guard !match.fixedOrdinals.contains(ordinal) else { continue }
      keys.append((ordinal, key.isDescending, key.comparison == .localizedStandard))
    }
    // Ties are ordered by id, and so are entries only where all components are sorted by.
    let components = match.index.components.dropFirst(match.equalCount)
    guard components.count == keys.count,
      zip(components, keys).allSatisfy({ $0.ordinal == $1.ordinal && $0.isForPeople == $1.isForPeople })
    else { return nil }
    let isReversed = zip(components, keys).map { $0.isDescending != $1.isDescending }
    guard isReversed.allSatisfy({ $0 == isReversed[0] }) else { return nil }
    return isReversed.first == true ? .backward : .forward
  }
}
