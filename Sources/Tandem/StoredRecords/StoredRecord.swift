public import RecordStore

/// A record as it lies in the store, lent to the closure of ``ModelContext/withRecords(of:_:)``.
///
/// ```swift
/// func column<Value: PrimitiveAttribute>(_ attribute: KeyPath<Receipt, Value>) throws -> [Value] {
///   var values: [Value] = []
///   try context.withRecords(of: FetchDescriptor()) { (receipt: borrowing StoredRecord<Receipt>) in
///     values.append(receipt[dynamicMember: attribute])
///   }
///   return values
/// }
/// let shops = try column(\.shop)
/// ```
///
/// Attributes are read by the names of the model's properties, each from its bytes when it is asked for. The record can
/// be neither copied nor kept: its bytes are the store's, for as long as the closure runs. What an attribute gives is a
/// value of its own.
@dynamicMemberLookup
public struct StoredRecord<Model: PersistentModel>: ~Copyable {
  @usableFromInline let reader: StoredRecordReader
  @usableFromInline let view: RecordView
  private let id: RecordID

  init(_ reader: StoredRecordReader, _ row: QueryRow) {
    self.reader = reader
    view = row.view
    id = row.id
  }

  /// The identifier of the record's object.
  public var persistentModelID: PersistentIdentifier { reader.identifier(of: id, view) }

  /// The identifier of a to-one relationship's target; nil without one. A look-up where the relationship is stored on
  /// the other side, or leads to one of several classes.
  ///
  /// - Throws: `SwiftDataError` where the store cannot be read or the record is damaged.
  public func target<T: PersistentModel>(of path: KeyPath<Model, T?>) throws -> PersistentIdentifier? {
    try reader.target(of: path, id, view)
  }

  /// The identifier of the target of a to-one relationship that always has one; nil where that was deleted.
  ///
  /// - Throws: `SwiftDataError` where the store cannot be read or the record is damaged.
  public func target<T: PersistentModel>(of path: KeyPath<Model, T>) throws -> PersistentIdentifier? {
    try reader.target(of: path, id, view)
  }
}

// Attributes. The compiler tells the overloads apart as it does those of ``ModelStorage``.
extension StoredRecord {
  /// The value of an attribute; as of an object, what stands for a missing one where the record has none.
  @inlinable
  public subscript<V: PrimitiveAttribute>(dynamicMember path: KeyPath<Model, V>) -> V {
    let ordinal = reader.plainOrdinal(of: path)
    if ordinal >= 0, let value = V._read(view, ordinal) { return value }
    return reader.decoded(path, view) ?? V._zero
  }

  /// The value of an optional attribute.
  @inlinable
  public subscript<V: PrimitiveAttribute>(dynamicMember path: KeyPath<Model, V?>) -> V? {
    let ordinal = reader.plainOrdinal(of: path)
    if ordinal >= 0, let value = V._read(view, ordinal) { return value }
    return reader.decoded(path, view)
  }

  /// The value of an attribute that is kept by its raw value.
  @inlinable
  public subscript<V: RawRepresentable & Codable>(dynamicMember path: KeyPath<Model, V>) -> V
  where V.RawValue: PrimitiveAttribute {
    let ordinal = reader.plainOrdinal(of: path)
    if ordinal >= 0, let raw = V.RawValue._read(view, ordinal), let value = V(rawValue: raw) { return value }
    return reader.decoded(path, view) ?? reader.missingCase(path)
  }

  /// The value of an optional attribute that is kept by its raw value.
  @inlinable
  public subscript<V: RawRepresentable & Codable>(dynamicMember path: KeyPath<Model, V?>) -> V?
  where V.RawValue: PrimitiveAttribute {
    let ordinal = reader.plainOrdinal(of: path)
    if ordinal >= 0, let raw = V.RawValue._read(view, ordinal), let value = V(rawValue: raw) { return value }
    return reader.decoded(path, view)
  }

  /// The value of an attribute of any other `Codable` type, decoded at each reading.
  @_disfavoredOverload
  public subscript<V: Codable>(dynamicMember path: KeyPath<Model, V>) -> V {
    reader.decoded(path, view) ?? reader.missing(path)
  }

  /// The value of an attribute with `.transformable(by:)`, transformed at each reading.
  @_disfavoredOverload
  public subscript<V>(dynamicMember path: KeyPath<Model, V>) -> V {
    reader.decoded(path, view) ?? reader.missing(path)
  }

  /// A record has no objects: `target(of:)` gives an identifier.
  @available(*, unavailable, message: "a stored record has no objects: 'target(of:)' gives the identifier of one")
  public subscript<T: PersistentModel>(dynamicMember path: KeyPath<Model, T?>) -> T? {
    preconditionFailure("A stored record has no objects.")
  }

  /// A record has no objects: `target(of:)` gives an identifier.
  @available(*, unavailable, message: "a stored record has no objects: 'target(of:)' gives the identifier of one")
  public subscript<T: PersistentModel>(dynamicMember path: KeyPath<Model, T>) -> T {
    preconditionFailure("A stored record has no objects.")
  }

  /// A record does not know the members of a to-many relationship, which know it.
  @available(*, unavailable, message: "a stored record does not have the members of a to-many relationship: fetch them")
  public subscript<T: PersistentModel>(dynamicMember path: KeyPath<Model, [T]>) -> [T] {
    preconditionFailure("A stored record has no objects.")
  }
}
