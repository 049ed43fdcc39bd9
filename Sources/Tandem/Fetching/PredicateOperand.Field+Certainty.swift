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

  /// The values of a set or an array of the field's own type; nil where each must be looked at by itself. A list may
  /// have thousands, and what is the same for all of them is asked once.
  func plainValues(of values: any Sequence) -> [FieldValue]? {
    guard let type = plainType as? any (PrimitiveAttribute & Hashable).Type, codec.fieldType == type._fieldType,
      codec.fieldType != .url, allows(isEquality: true)
    else { return nil }
    return type.fieldValues(of: values)?.filter { !$0.isNotANumber }
  }
}

extension PrimitiveAttribute where Self: Hashable {
  fileprivate static func fieldValues(of values: any Sequence) -> [FieldValue]? {
    if let values = values as? Set<Self> { return values.map(\._fieldValue) }
    return (values as? [Self])?.map(\._fieldValue)
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
