/// How a query will run: a value, so that it can be printed and compared. Made by ``QueryPlanner``, carried out
/// by ``QueryExecution``.
package struct QueryPlan: Hashable, Sendable {
  /// Where the candidates of one entity come from, and what they must pass still.
  package struct Branch: Hashable, Sendable {
    package var entity: EntityNumber
    package var access: Access
    /// The conditions that the access does not guarantee.
    package var remaining: RecordFilter
  }

  package enum Access: Hashable, Sendable {
    case nothing
    /// Named records, in the order of their ids.
    case ids([RecordID])
    /// The entity's table, in the order of ids.
    case table
    case index(IndexAccess)
  }

  package struct IndexAccess: Hashable, Sendable {
    package var index: CatalogueIndex
    /// Not overlapping, in the order of keys.
    package var ranges: [KeyRange]
    /// The index is read from its end.
    package var isBackward = false
    /// Entries come in the order that the query asks for.
    package var isOrdered = false
    /// At most one entry, found by a look-up.
    package var isPoint = false
    /// The conditions that the ranges stand for, to be printed.
    package var conditions: [RecordFilter] = []
  }

  package var query: RecordQuery
  /// The query's filter with what is decided beforehand taken out.
  package var filter: RecordFilter
  package var branches: [Branch]
  /// The candidates do not come in the order asked for: they are collected and sorted.
  package var isSorting: Bool
}

extension QueryPlan.IndexAccess {
  /// Entries that share all values of the index end with their ids, and come by them: those up to an id need not be
  /// read. Entries of unique indexes, and those that are cut, do not end with it; all of theirs are left.
  func narrowed(behind id: RecordID?) -> Self {
    guard let id, ranges.count == 1, !index.isUnique, conditions.count == index.components.count,
      conditions.allSatisfy({ if case .compare(_, .equal, _) = $0 { true } else { false } }),
      ranges[0].lower.count < index.keyLimit.exactByteCount
    else { return self }
    var access = self
    id.append(to: &access.ranges[0].lower)
    return access
  }
}
