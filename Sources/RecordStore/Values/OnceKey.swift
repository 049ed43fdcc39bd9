import LMDB

/// The name of an effect that happens once, anywhere, for ever: 1 to 1,024 bytes of text.
///
/// Canonically equal texts are one key: what counts are the UTF-8 bytes of the NFC form, on every device.
/// The ids of all that a once transaction inserts follow from its key, so that two devices which run it apart
/// make the same records.
public struct OnceKey: Hashable, Sendable, CustomStringConvertible {
  /// The greatest length of a key in bytes of UTF-8.
  public static let maximumByteCount = 1024

  /// In NFC form.
  public let text: String

  /// Throws `StoreError.invalidRequest` for a text that is empty or longer than ``maximumByteCount`` in NFC form.
  public init(_ text: String) throws {
    let canonical = CanonicalText.normalized(text)
    guard (1...OnceKey.maximumByteCount).contains(canonical.utf8.count) else {
      throw StoreError(
        .invalidRequest,
        "a once key has 1 to \(OnceKey.maximumByteCount) bytes, this one \(canonical.utf8.count): choose another")
    }
    self.text = canonical
  }

  /// The text.
  public var description: String { text }

  /// SHA-256 of the key's bytes: its name in the ledger.
  var digest: [UInt8] { Array(text.utf8).withRawBytes { StableHash.sha256($0) } }

  /// The first eight bytes of the digest: by them a record remembers which keys inserted it.
  package var hash: UInt64 { OnceKey.hash(of: digest) }

  static func hash(of digest: [UInt8]) -> UInt64 {
    digest.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// The id of the record that a once transaction inserts as the `ordinal`th of its entity, from 0.
  ///
  /// The first 16 bytes of SHA-256 over the key's digest, the entity's name and the ordinal (u64, most significant
  /// byte first), of which the very first byte is 0: below every id that a clock has made since 2004, so that such
  /// records do not slow down later inserts, which append, and name the alias class that they get into.
  package func recordID(entity name: String, ordinal: Int) -> RecordID {
    var bytes = digest
    bytes += name.utf8
    bytes.append(bigEndian: UInt64(ordinal))
    let hash = bytes.withRawBytes { StableHash.digest128($0) }
    return RecordID(high: hash.high & (.max >> 8), low: hash.low)
  }
}

/// Whether a once transaction had its effect now, or had it before.
public enum OnceOutcome: String, Hashable, Sendable, Codable {
  /// The effect was made and its key entered, in one commit.
  case performed
  /// The key was known: nothing was changed.
  case alreadyDone
}
