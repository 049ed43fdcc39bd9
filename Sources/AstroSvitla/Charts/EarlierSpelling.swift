import Foundation

/// Raw values that begin with a capital letter, and did not in data of builds before 0.2.
enum EarlierSpelling {
  /// Reads a value by its raw value, in either spelling. Throws a `DecodingError` for any other text.
  static func value<Value: RawRepresentable>(from decoder: any Decoder) throws -> Value where Value.RawValue == String {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let value = Value(rawValue: text) ?? Value(rawValue: text.capitalized) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "no \(Value.self) has this name")
    }
    return value
  }
}
