import Foundation
import RecordStore

/// What a property reads as that must have a value and whose record has none that the type can take:
/// a field added without a default, or bytes of another version of the type.
enum MissingValue {
  /// The case with the zero raw value, else the first case.
  static func raw<V: RawRepresentable>(_ type: V.Type) -> V where V.RawValue: PrimitiveAttribute {
    if let zero = V(rawValue: V.RawValue._zero) { return zero }
    if let cases = type as? any CaseIterable.Type, let first = first(of: cases) as? V { return first }
    preconditionFailure(
      "A record has no value that \(V.self) knows, and the property is not optional: "
        + "make \(V.self) CaseIterable, or the property optional.")
  }

  private static func first<C: CaseIterable>(of type: C.Type) -> Any? { type.allCases.first }

  /// The value that an empty JSON text stands for.
  static func composite<V: Decodable>(_ type: V.Type) -> V {
    for text in ["null", "[]", "{}", "0", "\"\"", "false"] {
      if let value = CompositeCoding.decode(.composite(Data(text.utf8)), as: type) { return value }
    }
    preconditionFailure(
      "A record has no value that \(V.self) can read, and the property is not optional: "
        + "give \(V.self) an initialiser that accepts {}, or make the property optional.")
  }
}
