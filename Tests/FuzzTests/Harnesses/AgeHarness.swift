import AgeEncryption

extension Harness {
  /// That of the seeds. It protects nothing.
  private static let identity = "AGE-SECRET-KEY-1XZL76HLCFXMGY5NZ3FMJXV8PLZFJ6DF0E8VP6GZG97M4RHG8FAUQSRE4QW"

  /// A file of the format age.
  static let age = Harness("age", errors: [AgeError.self]) { bytes in
    let identity = try X25519Identity(identity)
    let content = try AgeFile.decrypt(bytes, with: [.x25519(identity)])
    let written = try AgeFile.encrypt(content, to: [.x25519(identity.recipient)])
    try promise(
      try AgeFile.decrypt(written, with: [.x25519(identity)]) == content,
      "a content that was encrypted and decrypted again is another")
  }
}
