/// The refusal of parts of a predicate that must be `Codable` and mean nothing outside of their program: it says what
/// to do instead.
enum MadeInCode {
  static func refusal(of what: String, _ decoder: any Decoder) -> DecodingError {
    .dataCorrupted(
      .init(codingPath: decoder.codingPath, debugDescription: "\(what) can not be decoded; make it in code."))
  }

  static func refusal(of what: String, _ value: Any, _ encoder: any Encoder) -> EncodingError {
    .invalidValue(
      value,
      .init(
        codingPath: encoder.codingPath,
        debugDescription: "\(what) can not be encoded; keep what it is made from."))
  }
}
