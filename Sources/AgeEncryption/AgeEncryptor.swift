import Crypto

/// Writes one age file piece by piece, with no more than a chunk in memory.
///
/// ```swift
/// var encryptor = try AgeEncryptor(to: [.x25519(recipient)])
/// for piece in pieces { try encryptor.update(piece, into: &file) }
/// try encryptor.finish(into: &file)
/// ```
/// A value: not to be used from two threads at once. Nothing may follow `finish`.
package struct AgeEncryptor {
  private var start: [UInt8]
  private var chunks: PayloadChunks
  /// Bytes that do not fill a chunk yet, or may be the last one.
  private var waiting: [UInt8] = []

  /// A passphrase must be the only recipient.
  package init(to recipients: [AgeRecipient]) throws {
    precondition(!recipients.isEmpty, "a file that nobody can read is of no use; name a recipient")
    let fileKey = FileKey()
    let stanzas = try recipients.map { try $0.wrap(fileKey) }
    precondition(
      stanzas.count == 1 || !stanzas.contains { $0.type == ScryptPassphrase.stanzaType },
      "a passphrase must be the only recipient of a file")
    let nonce = SymmetricKey(size: .bits128).withUnsafeBytes { Array($0) }
    self.init(stanzas, fileKey, nonce)
  }

  /// A file that is the same whenever the same content is written with the same seed.
  package init(to recipient: X25519Recipient, seed: AgeSeed) throws {
    let fileKey = FileKey(bytes: seed.fileKey)
    self.init([try recipient.wrap(fileKey, by: seed.ephemeral)], fileKey, seed.nonce)
  }

  private init(_ stanzas: [AgeStanza], _ fileKey: FileKey, _ nonce: [UInt8]) {
    start = AgeHeader.encode(stanzas, fileKey) + nonce
    chunks = PayloadChunks(fileKey, nonce: nonce)
  }

  /// Appends what can be written by now.
  package mutating func update(_ plain: ArraySlice<UInt8>, into output: inout [UInt8]) throws {
    putStart(&output)
    var rest = plain
    let missing = PayloadChunks.plainBytes - waiting.count
    if !waiting.isEmpty, rest.count > missing {
      waiting += rest.prefix(missing)
      rest = rest.dropFirst(missing)
      try chunks.seal(waiting[...], isLast: false, into: &output)
      waiting.removeAll(keepingCapacity: true)
    }
    while waiting.isEmpty, rest.count > PayloadChunks.plainBytes {
      try chunks.seal(rest.prefix(PayloadChunks.plainBytes), isLast: false, into: &output)
      rest = rest.dropFirst(PayloadChunks.plainBytes)
    }
    waiting += rest
  }

  /// Appends the end of the file.
  package mutating func finish(into output: inout [UInt8]) throws {
    putStart(&output)
    try chunks.seal(waiting[...], isLast: true, into: &output)
    waiting = []
  }

  private mutating func putStart(_ output: inout [UInt8]) {
    output += start
    start = []
  }
}
