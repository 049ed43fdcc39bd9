/// A fetch as a value: one entity's visible records that pass a filter, in an order, cut to a window.
public struct RecordQuery: Hashable, Sendable {
  /// The entity whose records are fetched.
  public var entity: EntityNumber
  /// The condition that a record must meet.
  public var filter: RecordFilter
  /// The order, the first key first; ties are broken by record id.
  public var sort: [SortKey]
  /// At most so many records; nil: all.
  public var limit: Int?
  /// How many records of the order are left out at its beginning.
  public var offset: Int
  /// Whether records of entities that inherit from `entity` belong too.
  public var includesSubentities: Bool
  /// Only records whose ids are greater: the next page of a long list. For queries without an order of their own,
  /// which give records by their ids.
  package var behind: RecordID?

  /// Creates a query from its parts.
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
    /// How two values are compared.
    public enum Comparison: Hashable, Sendable {
      /// Swift's own order of the type; nil first.
      case natural
      /// Numbers inside text by value, case and accents second: for people.
      case localizedStandard
    }
    /// The field to sort by.
    public var path: FieldPath
    /// Whether the greatest value comes first.
    public var isDescending: Bool
    /// How two values are compared.
    public var comparison: Comparison
    /// Creates a key from its parts.
    public init(_ path: FieldPath, isDescending: Bool = false, comparison: Comparison = .natural) {
      self.path = path
      self.isDescending = isDescending
      self.comparison = comparison
    }
  }
}

/// Ordinals from the queried entity through to-one references to a field: `[parent, name]`.
public struct FieldPath: Hashable, Sendable {
  /// The fields' numbers: to-one references, and at the end a field.
  public var ordinals: [Int]
  /// A path of ordinals.
  public init(_ ordinals: Int...) { self.ordinals = ordinals }
  /// A path of ordinals, as an array.
  public init(ordinals: [Int]) { self.ordinals = ordinals }
}

/// A condition on a record, evaluated over its bytes. Comparisons follow Swift: nil equals only nil,
/// and a greater-or-less comparison with nil on either side is false.
public indirect enum RecordFilter: Hashable, Sendable {
  /// How a field is compared with a value, or with another field.
  public enum Comparison: Hashable, Sendable {
    /// The comparisons of Swift's operators `==`, `!=`, `<`, `<=`, `>` and `>=`.
    case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
  }
  /// The place in a text that is searched for another text.
  public enum TextMatch: Hashable, Sendable {
    /// The places that are searched, by Swift's equality of characters: anywhere, the beginning, the end.
    case contains, hasPrefix, hasSuffix
  }
  /// Every record passes.
  case all
  /// No record passes.
  case none
  /// The comparison holds between the field, on the left, and the value.
  case compare(FieldPath, Comparison, FieldValue)
  /// The comparison holds between the two fields.
  case compareFields(FieldPath, Comparison, FieldPath)
  /// The field has one of the values.
  case oneOf(FieldPath, [FieldValue])
  /// The field's text has the given text in the given place.
  case text(FieldPath, TextMatch, String)
  /// Case and accents ignored, for people: `localizedStandardContains`.
  case localizedContains(FieldPath, String)
  /// The record has one of the ids.
  case ids(Set<RecordID>)
  /// Some, or every, record of a to-many relationship (named on the queried entity) passes.
  case anyRelated(relationship: String, RecordFilter)
  /// Every record of a to-many relationship passes.
  case allRelated(relationship: String, RecordFilter)
  /// The number of records of a to-many relationship that pass.
  case countRelated(relationship: String, RecordFilter, Comparison, Int)
  /// All conditions hold. An empty list of them holds, too.
  case and([RecordFilter])
  /// One of the conditions holds.
  case or([RecordFilter])
  /// The condition does not hold.
  case not(RecordFilter)
}
