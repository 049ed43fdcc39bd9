public import Foundation

/// One value of a ``KeyValueStore``.
///
/// Stored as JSON text with one member, named after the kind, so that dumps and conflict logs can be read:
/// `{"string":"Kyiv"}`, `{"integer":3}`, `{"date":725846400}` (seconds since 2001-01-01 00:00:00 UTC),
/// `{"array":[{"bool":true}]}`. The form is part of the file format.
public indirect enum KeyValue: Hashable, Sendable {
  case bool(Bool)
  case integer(Int)
  case double(Double)
  case string(String)
  case date(Date)
  case data(Data)
  case url(URL)
  case array([KeyValue])
  case dictionary([String: KeyValue])
  /// A `Codable` value of the app, as JSON text.
  case encoded(String)
}

extension KeyValue: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  public init(integerLiteral value: Int) { self = .integer(value) }
  public init(floatLiteral value: Double) { self = .double(value) }
  public init(stringLiteral value: String) { self = .string(value) }
  public init(arrayLiteral elements: KeyValue...) { self = .array(elements) }
  public init(dictionaryLiteral elements: (String, KeyValue)...) {
    self = .dictionary(Dictionary(elements) { _, last in last })
  }
}

/// As JSON: an object with one member.
extension KeyValue: Codable {
  private enum Kind: String, CodingKey {
    case bool, integer, double, string, date, data, url, array, dictionary, encoded
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Kind.self)
    guard let kind = container.allKeys.first, container.allKeys.count == 1 else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "a value has exactly one member, its kind"))
    }
    switch kind {
    case .bool: self = .bool(try container.decode(Bool.self, forKey: kind))
    case .integer: self = .integer(try container.decode(Int.self, forKey: kind))
    case .double: self = .double(try container.decode(Double.self, forKey: kind))
    case .string: self = .string(try container.decode(String.self, forKey: kind))
    case .date: self = .date(Date(timeIntervalSinceReferenceDate: try container.decode(Double.self, forKey: kind)))
    case .data: self = .data(try container.decode(Data.self, forKey: kind))
    case .url: self = .url(try container.decode(URL.self, forKey: kind))
    case .array: self = .array(try container.decode([KeyValue].self, forKey: kind))
    case .dictionary: self = .dictionary(try container.decode([String: KeyValue].self, forKey: kind))
    case .encoded: self = .encoded(try container.decode(String.self, forKey: kind))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Kind.self)
    switch self {
    case .bool(let value): try container.encode(value, forKey: .bool)
    case .integer(let value): try container.encode(value, forKey: .integer)
    case .double(let value): try container.encode(value, forKey: .double)
    case .string(let value): try container.encode(value, forKey: .string)
    case .date(let value): try container.encode(value.timeIntervalSinceReferenceDate, forKey: .date)
    case .data(let value): try container.encode(value, forKey: .data)
    case .url(let value): try container.encode(value.absoluteString, forKey: .url)
    case .array(let value): try container.encode(value, forKey: .array)
    case .dictionary(let value): try container.encode(value, forKey: .dictionary)
    case .encoded(let value): try container.encode(value, forKey: .encoded)
    }
  }
}

extension KeyValue {
  /// The stored form. Equal values have equal texts.
  public var text: String {
    get throws { String(decoding: try Self.encoder.encode(self), as: UTF8.self) }
  }

  /// Throws `DecodingError` for any other text.
  public init(text: String) throws { self = try Self.decoder.decode(KeyValue.self, from: Data(text.utf8)) }

  static var encoder: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return encoder
  }

  static var decoder: JSONDecoder {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return decoder
  }
}
