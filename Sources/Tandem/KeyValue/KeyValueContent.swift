import Foundation

/// The contents of an entry: a value, and the end of its time.
///
/// Both are one text in one field with one stamp, so that a merge never joins the value of one write with the end of
/// another. Without an end the text is that of ``KeyValue``; with one it is
/// `{"expiring":{"at":725846400,"value":{"string":"Kyiv"}}}` (seconds since 2001-01-01 00:00:00 UTC), which builds
/// that know no ends read as an absent key.
struct KeyValueContent: Hashable, Sendable {
  var value: KeyValue
  var expiresAt: Date?

  init(_ value: KeyValue, expiresAt: Date? = nil) {
    self.value = value
    self.expiresAt = expiresAt
  }

  /// Nil from the moment of its end on.
  func value(at moment: Date) -> KeyValue? { hasExpired(at: moment) ? nil : value }

  func hasExpired(at moment: Date) -> Bool { expiresAt.map { $0 <= moment } ?? false }
}

extension KeyValueContent: Codable {
  private enum Form: String, CodingKey { case expiring }
  private enum Part: String, CodingKey { case at, value }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Form.self)
    guard container.contains(.expiring) else {
      self.init(try KeyValue(from: decoder))
      return
    }
    let parts = try container.nestedContainer(keyedBy: Part.self, forKey: .expiring)
    self.init(
      try parts.decode(KeyValue.self, forKey: .value),
      expiresAt: Date(timeIntervalSinceReferenceDate: try parts.decode(Double.self, forKey: .at)))
  }

  func encode(to encoder: any Encoder) throws {
    guard let expiresAt else { return try value.encode(to: encoder) }
    var container = encoder.container(keyedBy: Form.self)
    var parts = container.nestedContainer(keyedBy: Part.self, forKey: .expiring)
    try parts.encode(expiresAt.timeIntervalSinceReferenceDate, forKey: .at)
    try parts.encode(value, forKey: .value)
  }

  /// The stored form. Equal contents have equal texts.
  var text: String {
    get throws { String(decoding: try KeyValue.encoder.encode(self), as: UTF8.self) }
  }

  /// Throws `DecodingError` for any other text.
  init(text: String) throws { self = try KeyValue.decoder.decode(KeyValueContent.self, from: Data(text.utf8)) }
}
