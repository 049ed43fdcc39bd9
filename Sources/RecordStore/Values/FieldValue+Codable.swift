import Foundation

/// As JSON: an object with one member named after the type, or null. Used in the catalogue and in dumps.
extension FieldValue: Codable {
  private enum Key: String, CodingKey {
    case bool, int, uint, double, decimal, string, date, uuid, data, url, composite, reference
  }

  /// Reads an object with one member, or null.
  /// - Throws: `DecodingError`.
  public init(from decoder: any Decoder) throws {
    if try decoder.singleValueContainer().decodeNil() {
      self = .null
      return
    }
    let container = try decoder.container(keyedBy: Key.self)
    guard let key = container.allKeys.first, container.allKeys.count == 1 else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "a field value has exactly one member, its type"))
    }
    switch key {
    case .bool: self = .bool(try container.decode(Bool.self, forKey: key))
    case .int: self = .int(try container.decode(Int64.self, forKey: key))
    case .uint: self = .uint(try container.decode(UInt64.self, forKey: key))
    case .double: self = .double(Double(bitPattern: try container.decode(UInt64.self, forKey: key)))
    case .decimal: self = .decimal(try container.decode(Decimal.self, forKey: key))
    case .string: self = .string(try container.decode(String.self, forKey: key))
    case .date:
      let bits = try container.decode(UInt64.self, forKey: key)
      self = .date(Date(timeIntervalSinceReferenceDate: Double(bitPattern: bits)))
    case .uuid: self = .uuid(try container.decode(UUID.self, forKey: key))
    case .data: self = .data(try container.decode(Data.self, forKey: key))
    case .url: self = .url(try container.decode(String.self, forKey: key))
    case .composite: self = .composite(try container.decode(Data.self, forKey: key))
    case .reference: self = .reference(try container.decode(RecordID.self, forKey: key))
    }
  }

  /// Writes an object with one member, or null. Doubles and dates are written as their bits.
  /// - Throws: what the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    if self == .null {
      var container = encoder.singleValueContainer()
      try container.encodeNil()
      return
    }
    var container = encoder.container(keyedBy: Key.self)
    switch self {
    case .null: break
    case .bool(let value): try container.encode(value, forKey: .bool)
    case .int(let value): try container.encode(value, forKey: .int)
    case .uint(let value): try container.encode(value, forKey: .uint)
    // Bits, because JSON has neither infinity nor NaN.
    case .double(let value): try container.encode(value.bitPattern, forKey: .double)
    case .decimal(let value): try container.encode(value, forKey: .decimal)
    case .string(let value): try container.encode(value, forKey: .string)
    case .date(let value): try container.encode(value.timeIntervalSinceReferenceDate.bitPattern, forKey: .date)
    case .uuid(let value): try container.encode(value, forKey: .uuid)
    case .data(let value): try container.encode(value, forKey: .data)
    case .url(let value): try container.encode(value, forKey: .url)
    case .composite(let value): try container.encode(value, forKey: .composite)
    case .reference(let value): try container.encode(value, forKey: .reference)
    }
  }
}
