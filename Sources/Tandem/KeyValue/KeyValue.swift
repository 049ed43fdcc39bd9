public import Foundation

/// One value of a ``KeyValueStore``.
///
/// Stored as JSON text with one member, named after the kind, so that dumps and conflict logs can be read:
/// `{"string":"Kyiv"}`, `{"integer":3}`, `{"date":725846400}` (seconds since 2001-01-01 00:00:00 UTC),
/// `{"array":[{"bool":true}]}`. The form is part of the file format.
public indirect enum KeyValue: Hashable, Sendable {
  /// A truth value.
  case bool(Bool)
  /// A whole number.
  case integer(Int)
  /// A floating-point number. Infinities and not-a-number are kept, too.
  case double(Double)
  /// A text.
  case string(String)
  /// A moment, kept as seconds since 2001-01-01 00:00:00 UTC.
  case date(Date)
  /// Bytes.
  case data(Data)
  /// A URL, kept as its text.
  case url(URL)
  /// Values in an order.
  case array([KeyValue])
  /// Values by name.
  case dictionary([String: KeyValue])
  /// A `Codable` value of the app, as JSON text.
  case encoded(String)
}

extension KeyValue: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  /// A value of kind `bool`.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  /// A value of kind `integer`.
  public init(integerLiteral value: Int) { self = .integer(value) }
  /// A value of kind `double`.
  public init(floatLiteral value: Double) { self = .double(value) }
  /// A value of kind `string`.
  public init(stringLiteral value: String) { self = .string(value) }
  /// A value of kind `array`.
  public init(arrayLiteral elements: KeyValue...) { self = .array(elements) }
  /// A value of kind `dictionary`. Where a name stands twice, its last value counts.
  public init(dictionaryLiteral elements: (String, KeyValue)...) {
    self = .dictionary(Dictionary(elements) { _, last in last })
  }
}

/// As JSON: an object with one member.
extension KeyValue: Codable {
  private enum Kind: String, CodingKey {
    case bool, integer, double, string, date, data, url, array, dictionary, encoded
  }

  /// Reads an object with one member.
  /// - Throws: `DecodingError`.
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

  /// Writes an object with one member.
  /// - Throws: what the encoder throws.
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
  ///
  /// - Throws: `EncodingError`.
  public var text: String {
    get throws { String(decoding: try Self.encoder.encode(self), as: UTF8.self) }
  }

  /// - Throws: `DecodingError` for any other text.
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
