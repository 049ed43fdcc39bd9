import AgeEncryption

/// Encrypts a file piece by piece. A value: not to be used from two threads at once.
struct PieceEncryptor {
  private var encryptor: AgeEncryptor

  init(_ encryptor: AgeEncryptor) { self.encryptor = encryptor }

  /// The bytes of the file that can be written by now.
  mutating func update(_ piece: [UInt8]) throws -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(piece.count + (piece.count >> 11) + 1024)
    try encryptor.update(piece[...], into: &output)
    return output
  }

  mutating func finish() throws -> [UInt8] {
    var output: [UInt8] = []
    try encryptor.finish(into: &output)
    return output
  }
}

/// Opens a file piece by piece. What it gives is authentic as far as it goes; only the end tells that nothing was cut
/// off. A value: not to be used from two threads at once.
struct PieceDecryptor {
  private var decryptor: AgeDecryptor

  init(_ decryptor: AgeDecryptor) { self.decryptor = decryptor }

  /// Throws ``SyncError`` `damagedFile` or `foreignFile`; `subject` names the file in the message.
  mutating func update(_ piece: [UInt8], subject: String) throws -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(piece.count)
    do {
      try decryptor.update(piece[...], into: &output)
    } catch let error as AgeError {
      throw FileSeal.refusal(of: piece, error, subject)
    }
    return output
  }

  /// Throws as ``update(_:subject:)`` does.
  mutating func finish(subject: String) throws -> [UInt8] {
    var output: [UInt8] = []
    do {
      try decryptor.finish(into: &output)
    } catch let error as AgeError {
      throw FileSeal.refusal(of: [], error, subject)
    }
    return output
  }
}
