import LMDB

/// Texts by their parts. Where text and part are plain the bytes are searched; otherwise Swift decides by
/// characters, so that composed and decomposed forms match and no character is cut in two.
final class TextNode: FilterNode {
  let path: PathReader
  let match: RecordFilter.TextMatch
  let part: EncodedValue
  private let text: String
  private let isPlain: Bool

  init(_ path: PathReader, _ match: RecordFilter.TextMatch, _ text: String) {
    self.path = path
    self.match = match
    self.text = text
    part = EncodedValue(.string(text))
    // Carriage return and line feed are one character together, and two apart.
    isPlain = part.bytes.isNormalizedPlainly && !text.utf8.contains { $0 == 10 || $0 == 13 }
  }

  override func passes(_ row: QueryRow) throws -> Bool {
    guard let bytes = try path.bytes(in: row) else { return false }
    guard isPlain, bytes.isNormalizedPlainly else { return passes(String(decoding: bytes.buffer, as: UTF8.self)) }
    return switch match {
    case .contains: bytes.contains(part.bytes)
    case .hasPrefix: bytes.hasPrefix(part.bytes)
    case .hasSuffix: bytes.hasSuffix(part.bytes)
    }
  }

  private func passes(_ candidate: String) -> Bool {
    switch match {
    case .contains: text.isEmpty || candidate.contains(text)
    case .hasPrefix: candidate.starts(with: text)
    case .hasSuffix: candidate.reversed().starts(with: text.reversed())
    }
  }
}

/// Texts for people: case and accents ignored.
final class LocalizedTextNode: FilterNode {
  let path: PathReader
  private let part: EncodedValue
  private let isASCII: Bool

  init(_ path: PathReader, _ text: String) {
    self.path = path
    part = EncodedValue(.string(CanonicalText.folded(text)))
    isASCII = part.bytes.isASCII
  }

  override func passes(_ row: QueryRow) throws -> Bool {
    guard let bytes = try path.bytes(in: row) else { return false }
    guard bytes.isASCII else {
      let folded = CanonicalText.folded(String(decoding: bytes.buffer, as: UTF8.self))
      return folded.withRawBytes { $0.contains(part.bytes) }
    }
    return isASCII && bytes.containsIgnoringCase(part.bytes)
  }
}

extension RawBytes {
  /// `part` in ASCII and lower case, these bytes in ASCII.
  func containsIgnoringCase(_ part: RawBytes) -> Bool {
    guard count >= part.count else { return false }
    for start in 0...(count - part.count) where matchesIgnoringCase(part, at: start) { return true }
    return false
  }

  private func matchesIgnoringCase(_ part: RawBytes, at start: Int) -> Bool {
    for offset in 0..<part.count {
      let byte = load(at: start + offset, as: UInt8.self)
      let lowered = byte &- 65 < 26 ? byte | 32 : byte
      guard lowered == part.load(at: offset, as: UInt8.self) else { return false }
    }
    return true
  }
}
