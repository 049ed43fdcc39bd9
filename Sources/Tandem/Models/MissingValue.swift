import Foundation
import RecordStore

/// What a property reads as that must have a value and whose record has none that the type can take: an
/// object whose record is gone, a field added without a default, or bytes of another version of the type.
///
/// In this order: the property's default, the type's zero or first case, a value made from nothing.
enum MissingValue {
  static func raw<V: RawRepresentable>(_ type: V.Type, for property: PropertyDescription) -> V
  where V.RawValue: PrimitiveAttribute {
    if let value = property.defaultValue as? V { return value }
    if let zero = V(rawValue: V.RawValue._zero) { return zero }
    if let cases = type as? any CaseIterable.Type, let first = first(of: cases) as? V { return first }
    if let decodable = type as? any Decodable.Type, let value = BlankDecoder.value(of: decodable) as? V { return value }
    preconditionFailure(
      "A record has no value that \(V.self) knows, and '\(property.name)' is neither optional nor has a default: "
        + "give it one, or make \(V.self) CaseIterable.")
  }

  static func first<C: CaseIterable>(of type: C.Type) -> Any? { type.allCases.first }

  static func coded<V>(_ type: V.Type, for property: PropertyDescription) -> V {
    if let value = property.defaultValue as? V { return value }
    if let decodable = type as? any Decodable.Type, let value = BlankDecoder.value(of: decodable) as? V { return value }
    preconditionFailure(
      "A record has no value that \(V.self) can read, and '\(property.name)' is neither optional nor has a default: "
        + "give it one.")
  }
}
