public import Foundation
public import RecordStore

/// A type with a field type of its own: read straight from a record's bytes, without `Codable`.
///
/// The underscored requirements are the library's; conform no further types. A type of your own is stored
/// when it is `Codable`, and by its raw value when it is `RawRepresentable` over one of these.
public protocol PrimitiveAttribute {
  static var _fieldType: FieldType { get }
  /// What a field reads as that has neither a value nor a default.
  static var _zero: Self { get }
  /// The value of a field of this type; nil for null or for a value that does not fit.
  init?(_ value: FieldValue)
  var _fieldValue: FieldValue { get }
  /// The value from a record's bytes; nil for null.
  static func _read(_ view: RecordView, _ ordinal: Int) -> Self?
}

extension Bool: PrimitiveAttribute {
  public static var _fieldType: FieldType { .bool }
  public static var _zero: Bool { false }
  public init?(_ value: FieldValue) {
    guard case .bool(let value) = value else { return nil }
    self = value
  }
  public var _fieldValue: FieldValue { .bool(self) }
  @inline(__always)
  public static func _read(_ view: RecordView, _ ordinal: Int) -> Bool? { view.bool(at: ordinal) }
}

extension PrimitiveAttribute where Self: FixedWidthInteger & SignedInteger {
  public static var _fieldType: FieldType { .int }
  public static var _zero: Self { 0 }
  public init?(_ value: FieldValue) {
    guard case .int(let value) = value else { return nil }
    self.init(exactly: value)
  }
  public var _fieldValue: FieldValue { .int(Int64(self)) }
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
  public static var _fieldType: FieldType { .uint }
  public static var _zero: Self { 0 }
  public init?(_ value: FieldValue) {
    guard case .uint(let value) = value else { return nil }
    self.init(exactly: value)
  }
  public var _fieldValue: FieldValue { .uint(UInt64(self)) }
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
  public static var _fieldType: FieldType { .double }
  public static var _zero: Double { 0 }
  public init?(_ value: FieldValue) {
    guard case .double(let value) = value else { return nil }
    self = value
  }
  public var _fieldValue: FieldValue { .double(self) }
  @inline(__always)
  public static func _read(_ view: RecordView, _ ordinal: Int) -> Double? { view.double(at: ordinal) }
}

/// Stored as doubles, which hold every narrower float exactly.
extension PrimitiveAttribute where Self: BinaryFloatingPoint {
  public static var _fieldType: FieldType { .double }
  public static var _zero: Self { 0 }
  public init?(_ value: FieldValue) {
    guard case .double(let value) = value else { return nil }
    self.init(value)
  }
  public var _fieldValue: FieldValue { .double(Double(self)) }
  @inline(__always)
  public static func _read(_ view: RecordView, _ ordinal: Int) -> Self? { view.double(at: ordinal).map { Self($0) } }
}
extension Float: PrimitiveAttribute {}
extension CGFloat: PrimitiveAttribute {}
#if !((os(macOS) || targetEnvironment(macCatalyst)) && arch(x86_64))
  extension Float16: PrimitiveAttribute {}
#endif

extension Decimal: PrimitiveAttribute {
  public static var _fieldType: FieldType { .decimal }
  public static var _zero: Decimal { 0 }
  public init?(_ value: FieldValue) {
    guard case .decimal(let value) = value else { return nil }
    self = value
  }
  public var _fieldValue: FieldValue { .decimal(self) }
  @inline(__always)
  public static func _read(_ view: RecordView, _ ordinal: Int) -> Decimal? { view.decimal(at: ordinal) }
}

extension String: PrimitiveAttribute {
  public static var _fieldType: FieldType { .string }
  public static var _zero: String { "" }
  public init?(_ value: FieldValue) {
    guard case .string(let value) = value else { return nil }
    self = value
  }
  public var _fieldValue: FieldValue { .string(self) }
  @inline(__always)
  public static func _read(_ view: RecordView, _ ordinal: Int) -> String? { view.string(at: ordinal) }
}

extension Date: PrimitiveAttribute {
  public static var _fieldType: FieldType { .date }
  public static var _zero: Date { Date(timeIntervalSinceReferenceDate: 0) }
  public init?(_ value: FieldValue) {
    guard case .date(let value) = value else { return nil }
    self = value
  }
  public var _fieldValue: FieldValue { .date(self) }
  @inline(__always)
  public static func _read(_ view: RecordView, _ ordinal: Int) -> Date? { view.date(at: ordinal) }
}

extension UUID: PrimitiveAttribute {
  public static var _fieldType: FieldType { .uuid }
  public static var _zero: UUID { UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) }
  public init?(_ value: FieldValue) {
    guard case .uuid(let value) = value else { return nil }
    self = value
  }
  public var _fieldValue: FieldValue { .uuid(self) }
  @inline(__always)
  public static func _read(_ view: RecordView, _ ordinal: Int) -> UUID? { view.uuid(at: ordinal) }
}

extension Data: PrimitiveAttribute {
  public static var _fieldType: FieldType { .data }
  public static var _zero: Data { Data() }
  public init?(_ value: FieldValue) {
    guard case .data(let value) = value else { return nil }
    self = value
  }
  public var _fieldValue: FieldValue { .data(self) }
  @inline(__always)
  public static func _read(_ view: RecordView, _ ordinal: Int) -> Data? { view.data(at: ordinal) }
}

extension URL: PrimitiveAttribute {
  public static var _fieldType: FieldType { .url }
  public static var _zero: URL { URL(filePath: "/") }
  public init?(_ value: FieldValue) {
    guard case .url(let text) = value else { return nil }
    self.init(string: text)
  }
  public var _fieldValue: FieldValue { .url(absoluteString) }
  @inline(__always)
  public static func _read(_ view: RecordView, _ ordinal: Int) -> URL? {
    if case .url(let text) = view.value(at: ordinal, type: .url) { return URL(string: text) }
    return nil
  }
}
