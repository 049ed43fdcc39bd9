import Foundation
import RecordStore

/// How the values of one property become field values, found once per class from the property's type.
///
/// The everyday path does not come here: it is resolved by the compiler from the overloads of
/// ``ModelStorage``. This one serves key paths, defaults and the schema.
struct AttributeCodec {
  let fieldType: FieldType
  let isOptional: Bool
  /// The value as the property's own type, or as what it wraps when that is optional; nil for null.
  let decode: (FieldValue) -> Any?
  /// A value of the property's type, or of what it wraps; nil if it is neither, or refuses to be encoded.
  let encode: (Any) -> FieldValue?

  /// Nil for a type that can not be stored.
  init?(valueType: Any.Type, forcesCodable: Bool, transformer: Schema.Attribute.TransformerName? = nil) {
    isOptional = valueType is any OptionalType.Type
    let type = (valueType as? any OptionalType.Type)?.wrappedType ?? valueType
    let plain: Plain?
    if let transformer {
      plain = Self.transformed(by: transformer)
    } else if forcesCodable {
      plain = (type as? any Codable.Type).map { Self.composite($0) }
    } else if let type = type as? any PrimitiveAttribute.Type {
      plain = Self.primitive(type)
    } else if let type = type as? any (RawRepresentable & Codable).Type, let raw = Self.raw(type) {
      plain = raw
    } else {
      plain = (type as? any Codable.Type).map { Self.composite($0) }
    }
    guard let plain else { return nil }
    fieldType = plain.fieldType
    decode = plain.decode
    encode = { value in
      guard let optional = value as? any OptionalType else { return plain.encode(value) }
      guard let wrapped = optional.wrapped else { return .null }
      return plain.encode(wrapped)
    }
  }

  private struct Plain {
    let fieldType: FieldType
    let decode: (FieldValue) -> Any?
    let encode: (Any) -> FieldValue?
  }

  private static func primitive<V: PrimitiveAttribute>(_ type: V.Type) -> Plain {
    Plain(fieldType: V._fieldType, decode: { V($0) }, encode: { ($0 as? V)?._fieldValue })
  }

  private static func raw<V: RawRepresentable>(_ type: V.Type) -> Plain? {
    guard let rawType = V.RawValue.self as? any PrimitiveAttribute.Type else { return nil }
    return raw(type, over: rawType)
  }

  private static func raw<V: RawRepresentable, Raw: PrimitiveAttribute>(_ type: V.Type, over: Raw.Type) -> Plain {
    Plain(
      fieldType: Raw._fieldType,
      decode: { Raw($0).flatMap { $0 as? V.RawValue }.flatMap { V(rawValue: $0) } },
      encode: { (($0 as? V)?.rawValue as? Raw)?._fieldValue })
  }

  /// The bytes that a transformer makes of a value. Opaque to the store, like those of a `Codable` value. A registered
  /// transformer is looked up each time: a class may be described before it is there.
  private static func transformed(by name: Schema.Attribute.TransformerName) -> Plain {
    let own = name.type.map { $0.init() }
    return Plain(
      fieldType: .composite,
      decode: { value in
        guard case .composite(let bytes) = value else { return nil }
        return (own ?? name.transformer)?.reverseTransformedValue(bytes)
      },
      encode: { ((own ?? name.transformer)?.transformedValue($0) as? Data).map { .composite($0) } })
  }

  private static func composite<V: Codable>(_ type: V.Type) -> Plain {
    Plain(
      fieldType: .composite,
      decode: { CompositeCoding.decode($0, as: V.self) },
      encode: { value in
        do {
          return try (value as? V).map { try CompositeCoding.encode($0) }
        } catch {
          // A value that has no bytes equals no stored one and is no default.
          return nil
        }
      })
  }
}
