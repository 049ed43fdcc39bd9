public import Foundation
public import RecordStore

/// A type with a field type of its own: read straight from a record's bytes, without `Codable`.
///
/// The underscored requirements are the library's; conform no further types. A type of your own is stored
/// when it is `Codable`, and by its raw value when it is `RawRepresentable` over one of these.
public protocol PrimitiveAttribute {
  /// The type of the fields that hold the values.
  static var _fieldType: FieldType { get }
  /// The value of a field that has neither a value nor a default.
  static var _zero: Self { get }
  /// The value of a field of this type; nil for null or for a value that does not fit.
  init?(_ value: FieldValue)
  /// The value as a field holds it.
  var _fieldValue: FieldValue { get }
  /// The value from a record's bytes; nil for null.
  static func _read(_ view: RecordView, _ ordinal: Int) -> Self?
}

extension Bool: PrimitiveAttribute {
  /// `bool`.
  public static var _fieldType: FieldType { .bool }
  /// False.
  public static var _zero: Bool { false }
  /// The value of a field of type `bool`; nil for any other.
  public init?(_ value: FieldValue) {
    guard case .bool(let value) = value else { return nil }
    self = value
  }
  /// A field of type `bool`.
  public var _fieldValue: FieldValue { .bool(self) }
  /// The value from a record's bytes; nil for null.
  @inline(__always)
  public static func _read(_ view: RecordView, _ ordinal: Int) -> Bool? { view.bool(at: ordinal) }
}

extension PrimitiveAttribute where Self: FixedWidthInteger & SignedInteger {
  /// `int`, for every width.
  public static var _fieldType: FieldType { .int }
  /// Zero.
  public static var _zero: Self { 0 }
  /// The value of a field of type `int`; nil for any other, and for a number that this width does not hold.
  public init?(_ value: FieldValue) {
    guard case .int(let value) = value else { return nil }
    self.init(exactly: value)
  }
  /// A field of type `int`.
  public var _fieldValue: FieldValue { .int(Int64(self)) }
  /// The value from a record's bytes; nil for null, and for a number that this width does not hold.
  @inline(__always)
  public static func _read(_ view: RecordView, _ ordinal: Int) -> Self? {
    view.int(at: ordinal).flatMap { Self(exactly: $0) }
  }
}
extension Int: PrimitiveAttribute {}
extension Int8: PrimitiveAttribute {}
extension Int16: PrimitiveAttribute {}
extension Int32: PrimitiveAttribute {}
extension Int64: PrimitiveAttribute {}

extension PrimitiveAttribute where Self: FixedWidthInteger & UnsignedInteger {
  /// `uint`, for every width.
  public static var _fieldType: FieldType { .uint }
  /// Zero.
  public static var _zero: Self { 0 }
  /// The value of a field of type `uint`; nil for any other, and for a number that this width does not hold.
  public init?(_ value: FieldValue) {
    guard case .uint(let value) = value else { return nil }
    self.init(exactly: value)
  }
  /// A field of type `uint`.
  public var _fieldValue: FieldValue { .uint(UInt64(self)) }
  /// The value from a record's bytes; nil for null, and for a number that this width does not hold.
  @inline(__always)
  public static func _read(_ view: RecordView, _ ordinal: Int) -> Self? {
    view.uint(at: ordinal).flatMap { Self(exactly: $0) }
  }
}
extension UInt: PrimitiveAttribute {}
extension UInt8: PrimitiveAttribute {}
extension UInt16: PrimitiveAttribute {}
extension UInt32: PrimitiveAttribute {}
extension UInt64: PrimitiveAttribute {}

extension Double: PrimitiveAttribute {
  /// `double`.
  public static var _fieldType: FieldType { .double }
  /// Zero.
  public static var _zero: Double { 0 }
  /// The value of a field of type `double`; nil for any other.
  public init?(_ value: FieldValue) {
    guard case .double(let value) = value else { return nil }
    self = value
  }
  /// A field of type `double`.
  public var _fieldValue: FieldValue { .double(self) }
  /// The value from a record's bytes; nil for null.
  @inline(__always)
  public static func _read(_ view: RecordView, _ ordinal: Int) -> Double? { view.double(at: ordinal) }
}

/// Stored as doubles, which hold every narrower float exactly.
extension PrimitiveAttribute where Self: BinaryFloatingPoint {
  /// `double`, for every width.
  public static var _fieldType: FieldType { .double }
  /// Zero.
  public static var _zero: Self { 0 }
  /// The value of a field of type `double`, rounded to this width; nil for any other.
  public init?(_ value: FieldValue) {
    guard case .double(let value) = value else { return nil }
    self.init(value)
  }
  /// A field of type `double`.
  public var _fieldValue: FieldValue { .double(Double(self)) }
  /// The value from a record's bytes, rounded to this width; nil for null.
  @inline(__always)
  public static func _read(_ view: RecordView, _ ordinal: Int) -> Self? { view.double(at: ordinal).map { Self($0) } }
}
extension Float: PrimitiveAttribute {}
extension CGFloat: PrimitiveAttribute {}
#if !((os(macOS) || targetEnvironment(macCatalyst)) && arch(x86_64))
  extension Float16: PrimitiveAttribute {}
#endif

extension Decimal: PrimitiveAttribute {
  /// `decimal`.
  public static var _fieldType: FieldType { .decimal }
  /// Zero.
  public static var _zero: Decimal { 0 }
  /// The value of a field of type `decimal`; nil for any other.
  public init?(_ value: FieldValue) {
    guard case .decimal(let value) = value else { return nil }
    self = value
  }
  /// A field of type `decimal`.
  public var _fieldValue: FieldValue { .decimal(self) }
  /// The value from a record's bytes; nil for null.
  @inline(__always)
  public static func _read(_ view: RecordView, _ ordinal: Int) -> Decimal? { view.decimal(at: ordinal) }
}

extension String: PrimitiveAttribute {
  /// `string`.
  public static var _fieldType: FieldType { .string }
  /// The empty text.
  public static var _zero: String { "" }
  /// The value of a field of type `string`; nil for any other.
  public init?(_ value: FieldValue) {
    guard case .string(let value) = value else { return nil }
    self = value
  }
  /// A field of type `string`.
  public var _fieldValue: FieldValue { .string(self) }
  /// The value from a record's bytes; nil for null.
  @inline(__always)
  public static func _read(_ view: RecordView, _ ordinal: Int) -> String? { view.string(at: ordinal) }
}

extension Date: PrimitiveAttribute {
  /// `date`.
  public static var _fieldType: FieldType { .date }
  /// 2001-01-01 00:00:00 UTC.
  public static var _zero: Date { Date(timeIntervalSinceReferenceDate: 0) }
  /// The value of a field of type `date`; nil for any other.
  public init?(_ value: FieldValue) {
    guard case .date(let value) = value else { return nil }
    self = value
  }
  /// A field of type `date`.
  public var _fieldValue: FieldValue { .date(self) }
  /// The value from a record's bytes; nil for null.
  @inline(__always)
  public static func _read(_ view: RecordView, _ ordinal: Int) -> Date? { view.date(at: ordinal) }
}

extension UUID: PrimitiveAttribute {
  /// `uuid`.
  public static var _fieldType: FieldType { .uuid }
  /// The UUID of sixteen zeros.
  public static var _zero: UUID { UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) }
  /// The value of a field of type `uuid`; nil for any other.
  public init?(_ value: FieldValue) {
    guard case .uuid(let value) = value else { return nil }
    self = value
  }
  /// A field of type `uuid`.
  public var _fieldValue: FieldValue { .uuid(self) }
  /// The value from a record's bytes; nil for null.
  @inline(__always)
  public static func _read(_ view: RecordView, _ ordinal: Int) -> UUID? { view.uuid(at: ordinal) }
}

extension Data: PrimitiveAttribute {
  /// `data`.
  public static var _fieldType: FieldType { .data }
  /// No bytes.
  public static var _zero: Data { Data() }
  /// The value of a field of type `data`; nil for any other.
  public init?(_ value: FieldValue) {
    guard case .data(let value) = value else { return nil }
    self = value
  }
  /// A field of type `data`.
  public var _fieldValue: FieldValue { .data(self) }
  /// The value from a record's bytes; nil for null.
  @inline(__always)
  public static func _read(_ view: RecordView, _ ordinal: Int) -> Data? { view.data(at: ordinal) }
}

extension URL: PrimitiveAttribute {
  /// `url`.
  public static var _fieldType: FieldType { .url }
  /// The root of the file system.
  public static var _zero: URL { URL(filePath: "/") }
  /// The value of a field of type `url`; nil for any other, and for a text that is no URL.
  public init?(_ value: FieldValue) {
    guard case .url(let text) = value else { return nil }
    self.init(string: text)
  }
  /// A field of type `url`, with the absolute text.
  public var _fieldValue: FieldValue { .url(absoluteString) }
  /// The value from a record's bytes; nil for null, and for a text that is no URL.
  @inline(__always)
  public static func _read(_ view: RecordView, _ ordinal: Int) -> URL? {
    if case .url(let text) = view.value(at: ordinal, type: .url) { return URL(string: text) }
    return nil
  }
}
