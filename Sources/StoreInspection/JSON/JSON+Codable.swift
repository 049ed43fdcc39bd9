import Foundation

extension JSON {
  /// Creates the JSON that Foundation's encoder makes of a value, members sorted by name.
  package init(encoding value: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    self = try JSON(parsing: String(decoding: encoder.encode(value), as: UTF8.self))
  }

  package func decoded<Value: Decodable>(as type: Value.Type) throws -> Value {
    try JSONDecoder().decode(type, from: Data(description.utf8))
  }
}
