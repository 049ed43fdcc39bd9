public import Foundation
public import RecordStore

/// The file by which a store belongs to a shared family: `<group>/<name>.family` beside it, its owner's alone.
///
/// ```swift
/// var file = try FamilyFile(foundedBy: "Ann")
/// let invitation = try file.invite("Bob", as: .reader, to: "group.org.example.books/Books")
/// try file.write(to: directory.familyFile(at: place))
/// for member: FamilyFile.Member in file.members { print(member.name, member.role) }
/// ```
/// As long as it lies there, the store is synchronised with the members of that family and with nobody else: the
/// family's id is random, and what the place would give does not count. Text, a fact in each line, the first of them
/// `tandem-family 1`:
///
/// | line | |
/// |---|---|
/// | `family`, `secret`, `former`, `founder`, `pen`, `folder`, `remote` | as in a ``FamilyInvitation`` |
/// | `charter <64 digits>` | on the founder's device: the secret of the founder's key |
/// | `name <text>` | how this member is called |
/// | `inviter <text>` | how the founder is called; missing on the founder's device |
/// | `member writer <name>`, `member reader <name>` | on the founder's device: an invited person |
/// | `end <8 digits>` | CRC-32C of all before |
///
/// The founder's device alone can invite and remove, so a copy of its file is worth keeping.
public struct FamilyFile: Hashable, Sendable, CustomStringConvertible {
  /// An invited person.
  public struct Member: Hashable, Sendable, Codable {
    /// The name that the founder gave.
    public var name: String
    /// The rights that the invitation gave.
    public var role: FamilyRole
  }

  private static let title = "tandem-family 1"
  private static let remedy = "join again with an invitation"
  /// The greatest number of people that are invited into one family.
  public static let greatestMemberCount = 200

  /// The family's key, with this device's part in the family. Give it to ``SyncOptions/key`` where the file lies
  /// elsewhere than beside the store.
  public internal(set) var key: FamilyKey
  /// How this member is called.
  public let name: String
  /// How the founder is called; nil on the founder's device.
  public let inviter: String?
  /// Where the family's files lie, as the founder said.
  public var meeting: MeetingPlace?
  /// The invited people, on the founder's device; else nobody.
  public internal(set) var members: [Member] = []
  let charter: FounderKey?
  var membership: Membership

  /// The family's id: random.
  public var family: RecordID { membership.family }
  /// The rights of this device.
  public var role: FamilyRole { membership.role }
  /// Whether the family was founded with this file, so that it can invite and remove.
  public var isFounder: Bool { charter != nil }

  /// Whether a member was removed, or the key replaced otherwise.
  package var hasReplacedKey: Bool { !key.formerIDs.isEmpty }

  /// A new family, of nobody else yet.
  ///
  /// - Throws: ``SyncError`` `unusableKey` for a name that is none.
  public init(foundedBy name: String) throws {
    let (charter, key) = (FounderKey(), FamilyKey())
    var random = SystemRandomNumberGenerator()
    let family = RecordID(high: random.next(), low: random.next())
    membership = Membership(
      family: family, founder: charter.publicKey, pen: try charter.pen(for: family, keyID: key.id), isFounder: true)
    (self.charter, self.key, self.name, inviter) = (charter, key, try KeyText.name(name), nil)
    self.key.membership = membership
  }

  /// A member's file, of an invitation.
  public init(joining invitation: FamilyInvitation) {
    (key, name, inviter) = (invitation.key, invitation.name, invitation.inviter)
    (meeting, charter) = (invitation.meeting, nil)
    membership = invitation.membership
  }

  /// Reads the file.
  ///
  /// - Throws: ``SyncError`` `unusableKey` where other users may read the file and where it is damaged; `unusableFile`
  ///   where there is no file.
  public init(at url: URL) throws {
    try KeyFile.refuseOpenFile(url)
    try self.init(text: DurableFile.read(url, limit: KeyFile.greatestCount), subject: url.path)
  }

  init(text: [UInt8], subject: String) throws {
    var reader = try KeyText(text, title: FamilyFile.title, subject: subject, remedy: FamilyFile.remedy)
    let family = try reader.family()
    guard let key = try reader.key() else { throw reader.lack("secret") }
    let founder = try reader.bytes(try reader.word("founder"), count: FounderKey.byteCount, of: "founder")
    charter = try reader.charter(of: founder)
    let pen = try reader.pen()
    name = try reader.text("name")
    inviter = charter == nil ? try reader.text("inviter") : nil
    meeting = try reader.meeting()
    while let words = reader.next("member") {
      guard let role = FamilyRole(rawValue: words[0]), words.count > 1 else { throw reader.lack("member") }
      members.append(Member(name: words.dropFirst().joined(separator: " "), role: role))
    }
    try reader.end()
    membership = Membership(family: family, founder: founder, pen: pen, isFounder: charter != nil)
    self.key = key
    self.key.membership = membership
  }

  /// The file of a store; nil where the store is not shared.
  ///
  /// - Throws: As ``init(at:)``.
  public static func ifPresent(at url: URL) throws -> FamilyFile? {
    try DurableFile.item(at: url) == nil ? nil : FamilyFile(at: url)
  }

  /// Where it lies for the store at a path.
  public static func url(besideStoreAt url: URL) -> URL {
    url.standardizedFileURL.deletingPathExtension().appendingPathExtension("family")
  }

  /// Writes the file for its owner alone, in one step.
  ///
  /// - Throws: ``SyncError`` `inputOutput`; the old file, if any, is untouched then, unless the message says that the
  ///   new one is in its place.
  public func write(to url: URL) throws {
    try DurableFile.publish(
      text, named: url.lastPathComponent, in: url.deletingLastPathComponent(), sharing: .secret)
  }

  /// Removes the file of a store, which leaves the family by that: its records stay.
  ///
  /// - Throws: ``SyncError`` `inputOutput`; the file is there still, then.
  public static func remove(at url: URL) throws {
    try DurableFile.remove(url)
    try DurableFile.flush(url.deletingLastPathComponent())
  }

  var text: [UInt8] {
    var lines = [FamilyFile.title, "family \(family)"] + KeyText.lines(of: key)
    lines += ["founder \(KeyText.digits(membership.founder))"]
    if let charter { lines.append("charter \(KeyText.digits(charter.secret))") }
    lines += KeyText.lines(of: membership.pen) + ["name \(name)"]
    if let inviter { lines.append("inviter \(inviter)") }
    lines += KeyText.lines(of: meeting) + members.map { "member \($0.role.rawValue) \($0.name)" }
    return KeyText.bytes(of: lines)
  }

  /// Nothing secret.
  public var description: String { "\(name) (\(role.rawValue)) in family \(family)" }
}

extension KeyText {
  /// Nil where none is there.
  fileprivate mutating func charter(of founder: [UInt8]) throws -> FounderKey? {
    guard let words = next("charter") else { return nil }
    guard words.count == 1,
      let key = FounderKey(secret: try bytes(words[0], count: FounderKey.byteCount, of: "charter")),
      key.publicKey == founder
    else { throw lack("charter") }
    return key
  }
}
