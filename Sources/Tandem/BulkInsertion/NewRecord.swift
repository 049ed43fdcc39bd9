public import RecordStore

/// The record that a row becomes, while the closure of a bulk insertion gives it values by the names of the model's
/// properties.
///
/// ```swift
/// func fill(_ line: Line, _ receipt: inout NewRecord<Receipt>) {
///   receipt.number = line.number
///   receipt.shop = line.shop
///   receipt.amount = line.amount
/// }
/// try context.insertAll(Receipt.self, lines, fill)
/// ```
/// Takes values and gives none back: there is no object. It cannot be copied, and so not kept beyond the
/// closure. Properties that are left out have their declared defaults, evaluated anew for each row; a property
/// without a default that is not optional must have a value. What else an initialiser does is not done.
///
/// The types are those of the properties. A relationship takes saved objects, or identifiers by `link(_:to:)`.
@dynamicMemberLookup
public struct NewRecord<Model: PersistentModel>: ~Copyable {
  @usableFromInline let values: RowValues

  @usableFromInline
  init(_ values: RowValues) { self.values = values }

  /// The identifier of the new record: later rows of the same insertion may link to it.
  ///
  /// Where a unique value makes the row new values of an existing record, links lead to that one.
  public var persistentModelID: PersistentIdentifier { values.resolver.identifier(of: values.id, values.plan.binding) }
}

// Attributes. The compiler tells the overloads apart as it does those of ``ModelStorage``.
extension NewRecord {
  /// The value of an attribute.
  @inlinable
  public subscript<V: PrimitiveAttribute>(dynamicMember path: KeyPath<Model, V>) -> V {
    @available(*, unavailable, message: "a new record takes values and gives none: keep what you set in a variable")
    get { preconditionFailure("A new record gives no values.") }
    set { values.set(path, to: newValue._fieldValue, newValue) }
  }

  /// The value of an optional attribute.
  @inlinable
  public subscript<V: PrimitiveAttribute>(dynamicMember path: KeyPath<Model, V?>) -> V? {
    @available(*, unavailable, message: "a new record takes values and gives none: keep what you set in a variable")
    get { preconditionFailure("A new record gives no values.") }
    set { values.set(path, to: newValue?._fieldValue ?? .null, newValue as Any) }
  }

  /// The value of an attribute that is kept by its raw value.
  @inlinable
  public subscript<V: RawRepresentable & Codable>(dynamicMember path: KeyPath<Model, V>) -> V
  where V.RawValue: PrimitiveAttribute {
    @available(*, unavailable, message: "a new record takes values and gives none: keep what you set in a variable")
    get { preconditionFailure("A new record gives no values.") }
    set { values.set(path, to: newValue.rawValue._fieldValue, newValue) }
  }

  /// The value of an optional attribute that is kept by its raw value.
  @inlinable
  public subscript<V: RawRepresentable & Codable>(dynamicMember path: KeyPath<Model, V?>) -> V?
  where V.RawValue: PrimitiveAttribute {
    @available(*, unavailable, message: "a new record takes values and gives none: keep what you set in a variable")
    get { preconditionFailure("A new record gives no values.") }
    set { values.set(path, to: newValue?.rawValue._fieldValue ?? .null, newValue as Any) }
  }

  /// The value of an attribute of any other `Codable` type.
  @_disfavoredOverload
  @inlinable
  public subscript<V: Codable>(dynamicMember path: KeyPath<Model, V>) -> V {
    @available(*, unavailable, message: "a new record takes values and gives none: keep what you set in a variable")
    get { preconditionFailure("A new record gives no values.") }
    set { values.set(path, toCodable: newValue) }
  }

  /// The value of an attribute with `.transformable(by:)`.
  @_disfavoredOverload
  @inlinable
  public subscript<V>(dynamicMember path: KeyPath<Model, V>) -> V {
    @available(*, unavailable, message: "a new record takes values and gives none: keep what you set in a variable")
    get { preconditionFailure("A new record gives no values.") }
    set { values.set(path, toCoded: newValue) }
  }
}
