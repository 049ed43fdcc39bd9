/// The text before the payload: a line with the format, stanzas, and `--- ` with a code over all before it.
///
/// Read as strictly as the specification asks: no line ends but LF, no empty arguments, canonical Base64.
struct AgeHeader {
  private static let intro = Array("age-encryption.org/v1\n".utf8)
  /// Enough for hundreds of recipients.
  static let greatestCount = 64 << 10

  private(set) var stanzas: [AgeStanza] = []
  private let code: [UInt8]
  private let signed: ArraySlice<UInt8>

  /// The bytes of a header with these stanzas.
  static func encode(_ stanzas: [AgeStanza], _ fileKey: FileKey) -> [UInt8] {
    let signed = intro + Array((stanzas.map(\.text).joined() + "---").utf8)
    return signed + Array(" \(CanonicalBase64.encode(fileKey.headerCode(of: signed)))\n".utf8)
  }

  /// Where the header ends in the bytes of a file, of which more may come; nil where more must come. Throws
  /// ``AgeError`` `malformedHeader` once the bytes cannot begin an age file.
  static func end(in bytes: [UInt8]) throws(AgeError) -> Int? {
    guard bytes.starts(with: intro) || intro.starts(with: bytes) else {
      throw AgeError.malformed("it is no file of age, version 1")
    }
    var start = 0
    while let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
      if bytes[start..<end].starts(with: Array("---".utf8)) { return end + 1 }
      start = end + 1
    }
    guard bytes.count <= greatestCount else { throw AgeError.malformed("its header is longer than 64 KiB") }
    return nil
  }

  init(_ bytes: ArraySlice<UInt8>) throws(AgeError) {
    var lines = bytes.dropFirst(AgeHeader.intro.count)
      .split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)[...]
    // The empty rest behind the last line's end.
    lines = lines.dropLast()
    guard bytes.starts(with: AgeHeader.intro), let last = lines.popLast(), last.starts(with: Array("--- ".utf8)),
      let code = CanonicalBase64.decode(last.dropFirst(4)), code.count == 32
    else { throw AgeError.malformed("its header does not end as one") }
    self.code = code
    signed = bytes[bytes.startIndex..<last.startIndex + 3]
    while !lines.isEmpty { stanzas.append(try AgeHeader.stanza(&lines)) }
    guard !stanzas.isEmpty else { throw AgeError.malformed("its header names no recipient") }
    let isForPassphrase = stanzas.contains { $0.type == ScryptPassphrase.stanzaType }
    guard !isForPassphrase || stanzas.count == 1 else {
      throw AgeError.malformed("its header names other readers beside a passphrase")
    }
  }

  private static func stanza(_ lines: inout ArraySlice<ArraySlice<UInt8>>) throws(AgeError) -> AgeStanza {
    let first = lines.removeFirst()
    guard first.starts(with: Array("-> ".utf8)) else { throw AgeError.malformed("a stanza does not begin as one") }
    let words = first.dropFirst(3).split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
    guard words.allSatisfy({ !$0.isEmpty && $0.allSatisfy { (33...126).contains($0) } }) else {
      throw AgeError.malformed("a stanza has an argument that is empty or not of visible characters")
    }
    var body: [UInt8] = []
    while let line = lines.popFirst() {
      guard line.count <= AgeStanza.columns, let bytes = CanonicalBase64.decode(line) else {
        throw AgeError.malformed("a stanza's body is not in lines of Base64")
      }
      body += bytes
      guard line.count == AgeStanza.columns else {
        let texts = words.map { String(decoding: $0, as: UTF8.self) }
        return AgeStanza(type: texts[0], arguments: Array(texts.dropFirst()), body: body)
      }
    }
    throw AgeError.malformed("a stanza lacks the end of its body")
  }

  /// The file key by the first identity that fits. Throws ``AgeError`` `malformedHeader`, `wrongKey` or `forgedHeader`.
  func fileKey(_ identities: [AgeIdentity]) throws -> FileKey {
    for identity in identities {
      for stanza in stanzas {
        guard let key = try identity.unwrap(stanza) else { continue }
        guard key.isHeaderCode(code, of: signed) else {
          throw AgeError(.forgedHeader, "its header was changed after it was written")
        }
        return key
      }
    }
    throw AgeError(.wrongKey, "it was written for another key")
  }
}

extension AgeError {
  static func malformed(_ what: String) -> AgeError { AgeError(.malformedHeader, what) }
}
