/// To whom a file is written.
package enum AgeRecipient: Sendable {
  case x25519(X25519Recipient)
  /// Must be the only one of its file.
  case passphrase(ScryptPassphrase)

  func wrap(_ fileKey: FileKey) throws -> AgeStanza {
    switch self {
    case .x25519(let recipient): try recipient.wrap(fileKey)
    case .passphrase(let passphrase): try passphrase.wrap(fileKey)
    }
  }
}

/// The key by which a reader tries a file.
package enum AgeIdentity: Sendable {
  case x25519(X25519Identity)
  case passphrase(ScryptPassphrase)

  func unwrap(_ stanza: AgeStanza) throws -> FileKey? {
    switch self {
    case .x25519(let identity): try identity.unwrap(stanza)
    case .passphrase(let passphrase): try passphrase.unwrap(stanza)
    }
  }
}
