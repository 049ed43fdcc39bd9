import Foundation
import RecordStore

/// A Swift value that one field of the ledger holds.
protocol LedgerValue: Sendable {
  static var fieldType: FieldType { get }
  static var isOptionalField: Bool { get }
  /// Nil if the field holds something else.
  init?(fieldValue: FieldValue)
  var fieldValue: FieldValue { get }
}

extension LedgerValue {
  static var isOptionalField: Bool { false }
}

extension Bool: LedgerValue {
  static var fieldType: FieldType { .bool }
  var fieldValue: FieldValue { .bool(self) }
  init?(fieldValue: FieldValue) {
    guard case .bool(let value) = fieldValue else { return nil }
    self = value
  }
}

extension UInt64: LedgerValue {
  static var fieldType: FieldType { .uint }
  var fieldValue: FieldValue { .uint(self) }
  init?(fieldValue: FieldValue) {
    guard case .uint(let value) = fieldValue else { return nil }
    self = value
  }
}

extension Int: LedgerValue {
  static var fieldType: FieldType { .int }
  var fieldValue: FieldValue { .int(Int64(self)) }
  init?(fieldValue: FieldValue) {
    guard case .int(let value) = fieldValue else { return nil }
    self = Int(value)
  }
}

extension String: LedgerValue {
  static var fieldType: FieldType { .string }
  var fieldValue: FieldValue { .string(self) }
  init?(fieldValue: FieldValue) {
    guard case .string(let value) = fieldValue else { return nil }
    self = value
  }
}

extension Decimal: LedgerValue {
  static var fieldType: FieldType { .decimal }
  var fieldValue: FieldValue { .decimal(self) }
  init?(fieldValue: FieldValue) {
    guard case .decimal(let value) = fieldValue else { return nil }
    self = value
  }
}

extension UUID: LedgerValue {
  static var fieldType: FieldType { .uuid }
  var fieldValue: FieldValue { .uuid(self) }
  init?(fieldValue: FieldValue) {
    guard case .uuid(let value) = fieldValue else { return nil }
    self = value
  }
}

extension Data: LedgerValue {
  static var fieldType: FieldType { .data }
  var fieldValue: FieldValue { .data(self) }
  init?(fieldValue: FieldValue) {
    guard case .data(let value) = fieldValue else { return nil }
    self = value
  }
}

/// Milliseconds since 1970, exact where a `date` field's seconds would be rounded.
extension Date: LedgerValue {
  static var fieldType: FieldType { .int }
  var fieldValue: FieldValue { .int(milliseconds) }
  init?(fieldValue: FieldValue) {
    guard case .int(let value) = fieldValue else { return nil }
    self.init(milliseconds: value)
  }
}

extension Optional: LedgerValue where Wrapped: LedgerValue {
  static var fieldType: FieldType { Wrapped.fieldType }
  static var isOptionalField: Bool { true }
  var fieldValue: FieldValue { self?.fieldValue ?? .null }
  init?(fieldValue: FieldValue) {
    if fieldValue == .null {
      self = .none
    } else {
      guard let value = Wrapped(fieldValue: fieldValue) else { return nil }
      self = value
    }
  }
}

/// A word of a closed list, kept as its text.
protocol LedgerWord: LedgerValue, RawRepresentable<String> {}

extension LedgerWord {
  static var fieldType: FieldType { .string }
  var fieldValue: FieldValue { .string(rawValue) }
  init?(fieldValue: FieldValue) {
    guard case .string(let text) = fieldValue else { return nil }
    self.init(rawValue: text)
  }
}
