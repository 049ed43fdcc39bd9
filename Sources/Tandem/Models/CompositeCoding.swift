import Foundation
import RecordStore

/// `Codable` values as the bytes of one field; equal values are equal bytes, see ``OrderedJSON``.
enum CompositeCoding {
  /// Bytes of a value. Throws what the value's own `encode(to:)` throws, and for a decimal that is not a number.
  static func encode<V: Encodable>(_ value: V) throws -> FieldValue {
    .composite(try OrderedJSON.encode(value, numbers: OrderedJSON.namedNumbers))
  }

  /// The value; nil for null and for bytes that another version of the type wrote and this one can not read.
  static func decode<V: Decodable>(_ value: FieldValue, as type: V.Type) -> V? {
    guard case .composite(let bytes) = value else { return nil }
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    do {
      return try decoder.decode(type, from: bytes)
    } catch {
      // Reading does not trap; what the type can not read counts as absent and stays in the record.
      return nil
    }
  }
}
