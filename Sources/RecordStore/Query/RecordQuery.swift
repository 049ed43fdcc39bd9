/// What to fetch: one entity's visible records that pass a filter, in an order, cut to a window.
public struct RecordQuery: Hashable, Sendable {
  public var entity: EntityNumber
  public var filter: RecordFilter
  public var sort: [SortKey]
  public var limit: Int?
  public var offset: Int
  /// Whether records of entities that inherit from `entity` belong too.
  public var includesSubentities: Bool

  public init(
    entity: EntityNumber, filter: RecordFilter = .all, sort: [SortKey] = [], limit: Int? = nil, offset: Int = 0,
    includesSubentities: Bool = true
  ) {
    self.entity = entity
    self.filter = filter
    self.sort = sort
    self.limit = limit
    self.offset = offset
    self.includesSubentities = includesSubentities
  }

  /// Ties are broken by record id, so that an order is always total.
  public struct SortKey: Hashable, Sendable {
    public enum Comparison: Hashable, Sendable {
      /// Swift's own order of the type; nil first.
      case natural
      /// Numbers inside text by value, case and accents second: for people.
      case localizedStandard
    }
    public var path: FieldPath
    public var isDescending: Bool
    public var comparison: Comparison
    public init(_ path: FieldPath, isDescending: Bool = false, comparison: Comparison = .natural) {
      self.path = path
      self.isDescending = isDescending
      self.comparison = comparison
    }
  }
}

/// Ordinals from the queried entity through to-one references to a field: `[parent, name]`.
public struct FieldPath: Hashable, Sendable {
  public var ordinals: [Int]
  public init(_ ordinals: Int...) { self.ordinals = ordinals }
  public init(ordinals: [Int]) { self.ordinals = ordinals }
}

/// A condition on a record, evaluated over its bytes. Comparisons follow Swift: nil equals only nil,
/// and a greater-or-less comparison with nil on either side is false.
public indirect enum RecordFilter: Hashable, Sendable {
  public enum Comparison: Hashable, Sendable {
    case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
  }
  public enum TextMatch: Hashable, Sendable {
    case contains, hasPrefix, hasSuffix
  }
  case all
  case none
  case compare(FieldPath, Comparison, FieldValue)
  case compareFields(FieldPath, Comparison, FieldPath)
  case oneOf(FieldPath, [FieldValue])
  case text(FieldPath, TextMatch, String)
  /// Case and accents ignored, for people: `localizedStandardContains`.
  case localizedContains(FieldPath, String)
  case ids(Set<RecordID>)
  /// Some, or every, record of a to-many relationship (named on the queried entity) passes.
  case anyRelated(relationship: String, RecordFilter)
  case allRelated(relationship: String, RecordFilter)
  /// The number of records of a to-many relationship that pass.
  case countRelated(relationship: String, RecordFilter, Comparison, Int)
  case and([RecordFilter])
  case or([RecordFilter])
  case not(RecordFilter)
}
