/// Reads one age file piece by piece, with no more than its header, or a chunk, in memory beside the piece.
///
/// What is appended is authentic as far as it goes; only `finish` tells that nothing was cut off. A value: not to be
/// used from two threads at once.
package struct AgeDecryptor {
  private let identities: [AgeIdentity]
  private var chunks: PayloadChunks?
  private var fileKey: FileKey?
  /// Bytes of the header, or of a chunk that may be the last.
  private var waiting: [UInt8] = []

  package init(_ identities: [AgeIdentity]) { self.identities = identities }

  /// Appends what can be read by now. Throws ``AgeError``.
  package mutating func update(_ bytes: ArraySlice<UInt8>, into output: inout [UInt8]) throws {
    var rest = bytes
    while !rest.isEmpty, chunks == nil { try begin(&rest) }
    let missing = PayloadChunks.sealedBytes - waiting.count
    if !waiting.isEmpty, rest.count > missing {
      waiting += rest.prefix(missing)
      rest = rest.dropFirst(missing)
      try chunks?.open(waiting[...], isLast: false, into: &output)
      waiting.removeAll(keepingCapacity: true)
    }
    while waiting.isEmpty, rest.count > PayloadChunks.sealedBytes {
      try chunks?.open(rest.prefix(PayloadChunks.sealedBytes), isLast: false, into: &output)
      rest = rest.dropFirst(PayloadChunks.sealedBytes)
    }
    waiting += rest
  }

  /// Appends the end. Throws ``AgeError`` where the file is not whole.
  package mutating func finish(into output: inout [UInt8]) throws {
    guard chunks != nil else {
      throw fileKey == nil ? AgeError.malformed("its header is not complete") : PayloadChunks.damage
    }
    try chunks?.open(waiting[...], isLast: true, into: &output)
    waiting = []
  }

  /// Takes from the bytes what belongs to the header and the nonce.
  private mutating func begin(_ rest: inout ArraySlice<UInt8>) throws {
    if let fileKey {
      let part = rest.prefix(PayloadChunks.nonceBytes - waiting.count)
      waiting += part
      rest = rest.dropFirst(part.count)
      guard waiting.count == PayloadChunks.nonceBytes else { return }
      chunks = PayloadChunks(fileKey, nonce: waiting)
      waiting = []
    } else {
      // A header ends somewhere within so much.
      let before = waiting.count
      let part = rest.prefix(AgeHeader.greatestCount + 1)
      waiting += part
      guard let end = try AgeHeader.end(in: waiting) else {
        rest = rest.dropFirst(part.count)
        return
      }
      fileKey = try AgeHeader(waiting[..<end]).fileKey(identities)
      rest = rest.dropFirst(end - before)
      waiting = []
    }
  }
}
