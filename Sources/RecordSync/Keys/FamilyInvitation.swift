import AgeEncryption
public import Foundation
public import RecordStore

/// A file by which somebody joins a shared family: each of its holders has what its role gives.
///
/// ```swift
/// let invitation = try FamilyInvitation(at: url)
/// let file = FamilyFile(joining: invitation)
/// ```
/// Text, a fact in each line, the first of them `tandem-family-invitation 1`:
///
/// | line | |
/// |---|---|
/// | `family <id>` | the family's random id, 32 hexadecimal digits |
/// | `secret TANDEM-KEY-1…` | the key that opens its files |
/// | `former <id>` | a key that the present one has replaced |
/// | `founder <64 digits>` | the founder's Ed25519 public key |
/// | `place <group>/<name>` | where the founder's store lies, percent-encoded |
/// | `pen <64 digits> <128 digits>` | of a writer: its signing key, and the founder's signature for it |
/// | `name <text>` | how the founder calls the member |
/// | `inviter <text>` | how the founder calls itself |
/// | `folder <path>`, `remote <text>` | where the files lie, percent-encoded; may be missing |
/// | `end <8 digits>` | CRC-32C of all before |
///
/// A reader's has no `pen`. A passphrase makes an age file of it. It is its owner's alone (0600) where it is written
/// here; how it travels is the person's choice.
public struct FamilyInvitation: Hashable, Sendable, CustomStringConvertible {
  static let title = "tandem-family-invitation 1"
  static let remedy = "ask for a new invitation"

  /// The family's id.
  public var family: RecordID { membership.family }
  /// The rights that it gives.
  public var role: FamilyRole { membership.role }
  /// How the founder calls the member.
  public let name: String
  /// How the founder calls itself.
  public let inviter: String
  /// The place of the founder's store, `GROUP/NAME`.
  public let place: String
  /// Where the family's files lie, as the founder said.
  public let meeting: MeetingPlace?
  let key: FamilyKey
  let membership: Membership

  /// The key's number, which is no secret: both sides show it.
  public var keyID: String { key.id }

  init(
    _ key: FamilyKey, _ membership: Membership, name: String, from inviter: String, place: String,
    meeting: MeetingPlace?
  ) {
    var own = key
    own.membership = membership
    (self.key, self.membership, self.name, self.inviter) = (own, membership, name, inviter)
    (self.place, self.meeting) = (place, meeting)
  }

  /// Reads the file.
  ///
  /// - Throws: ``SyncError`` `unusableKey` for what is no whole invitation of a format that this build reads, and where
  ///   the passphrase is missing or wrong; `unusableFile` or `damagedFile` where there is no file, or one far too long.
  public init(at url: URL, passphrase: String? = nil) throws {
    try self.init(DurableFile.read(url, limit: 2 * KeyFile.greatestCount), passphrase: passphrase, subject: url.path)
  }

  /// Reads the bytes; `subject` names them in errors, which are those of ``init(at:passphrase:)``.
  ///
  /// - Throws: ``SyncError`` `unusableKey` for what is no whole invitation of a format that this build reads, and where
  ///   the passphrase is missing or wrong.
  public init(_ bytes: [UInt8], passphrase: String? = nil, subject: String = "the invitation") throws {
    try self.init(text: FamilyInvitation.text(bytes, passphrase, subject), subject: subject)
  }

  private static func text(_ bytes: [UInt8], _ passphrase: String?, _ subject: String) throws -> [UInt8] {
    guard bytes.starts(with: Array("age-encryption.org/".utf8)) else { return bytes }
    guard let passphrase else {
      throw SyncError(.unusableKey, "a passphrase protects \(subject); give it with --passphrase-file")
    }
    do {
      return try AgeFile.decrypt(bytes, with: [.passphrase(ScryptPassphrase(passphrase))])
    } catch let error as AgeError {
      let reason = error.code == .wrongKey ? "the passphrase is wrong" : error.message
      throw SyncError(.unusableKey, "cannot open \(subject): \(reason); \(remedy) if it is right", cause: error)
    }
  }

  init(text: [UInt8], subject: String) throws {
    guard text.count <= KeyFile.greatestCount else {
      throw SyncError(.unusableKey, "\(subject) is longer than any invitation; \(FamilyInvitation.remedy)")
    }
    var reader = try KeyText(
      text, title: FamilyInvitation.title, subject: subject, remedy: FamilyInvitation.remedy)
    let family = try reader.family()
    guard let key = try reader.key() else { throw reader.lack("secret") }
    let founder = try reader.bytes(try reader.word("founder"), count: FounderKey.byteCount, of: "founder")
    let place = try reader.encoded("place")
    let pen = try reader.pen()
    let (name, inviter) = (try reader.text("name"), try reader.text("inviter"))
    let meeting = try reader.meeting()
    try reader.end()
    if let pen, !pen.certificate.isValid(founder: founder, family: family, keyID: key.id) {
      throw SyncError(.unusableKey, "\(subject) was not signed by the family's founder; \(FamilyInvitation.remedy)")
    }
    let membership = Membership(family: family, founder: founder, pen: pen, isFounder: false)
    self.init(key, membership, name: name, from: inviter, place: place, meeting: meeting)
  }

  /// The bytes of the file. `passphrase`: protects it on its way.
  ///
  /// - Throws: ``SyncError`` `unusableKey` for a passphrase that cannot be used.
  public func bytes(passphrase: String? = nil) throws -> [UInt8] {
    guard let passphrase else { return text }
    do {
      return try AgeFile.encrypt(text, to: [.passphrase(ScryptPassphrase(passphrase))])
    } catch {
      throw SyncError(.unusableKey, "cannot protect the invitation by the passphrase: \(error)", cause: error)
    }
  }

  /// Writes the file for its owner alone, in one step.
  ///
  /// - Throws: ``SyncError`` `inputOutput`, and as ``bytes(passphrase:)``; nothing is left behind then.
  public func write(to url: URL, passphrase: String? = nil) throws {
    try DurableFile.publish(
      bytes(passphrase: passphrase), named: url.lastPathComponent, in: url.deletingLastPathComponent(),
      sharing: .secret)
  }

  var text: [UInt8] {
    var lines = [FamilyInvitation.title, "family \(family)"] + KeyText.lines(of: key)
    lines += ["founder \(KeyText.digits(membership.founder))", "place \(KeyText.encoded(place))"]
    lines += KeyText.lines(of: membership.pen) + ["name \(name)", "inviter \(inviter)"] + KeyText.lines(of: meeting)
    return KeyText.bytes(of: lines)
  }

  /// Nothing secret.
  public var description: String { "an invitation of \(inviter) for \(name) (\(role.rawValue)) to family \(family)" }
}
