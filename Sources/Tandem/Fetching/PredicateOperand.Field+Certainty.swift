import Foundation
import RecordStore

extension PredicateOperand.Field {
  /// Whether the store compares fields of the type as Swift compares the values.
  func allows(isEquality: Bool) -> Bool {
    switch codec.fieldType {
    case .bool, .uuid, .data, .url: isEquality
    case .int, .uint, .double, .decimal, .string, .date: isEquality || !isRawRepresentable
    case .composite, .reference: false
    }
  }

  /// Whether a value means in the store what it means in Swift.
  func allows(_ value: Any) -> Bool {
    // A URL with a base differs from the absolute one that is stored, though both lead to the same place.
    if codec.fieldType == .url, let url = value as? URL { return url.baseURL == nil }
    guard isRawRepresentable else { return true }
    // An enumeration is equal by its case; another type may have an equality of its own.
    return Mirror(reflecting: value).displayStyle == .enum
  }
}

/// Whether a value of unknown type is nil, however deep.
func isNil(_ value: Any) -> Bool {
  // The metatype is asked first: a cast of the value itself that fails costs twenty times as much.
  guard type(of: value) is any OptionalType.Type, let optional = value as? any OptionalType else { return false }
  return optional.wrapped.map(isNil) ?? true
}

/// The value inside of optionals; the value itself if it is none.
func unwrapped(_ value: Any) -> Any {
  guard type(of: value) is any OptionalType.Type, let optional = value as? any OptionalType,
    let wrapped = optional.wrapped
  else { return value }
  return unwrapped(wrapped)
}
