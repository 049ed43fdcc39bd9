import AgeEncryption
public import Foundation
public import RecordStore

/// The file that holds a device's part of a family's key: `<group>/<name>.key` beside the store, its owner's alone.
///
/// ```swift
/// var file = KeyFile(family: place.familyID)
/// file.key = FamilyKey()
/// let invitation = try file.invitation(for: laptop.recipient, named: "laptop")
/// for device: KeyFile.Device in file.devices { print(device.name, device.recipient) }
/// try file.write(to: directory.keyFile(at: place))
/// ```
/// Text, a fact in each line, the first of them `tandem-key 1`:
///
/// | line | |
/// |---|---|
/// | `family <id>` | the family's store id, 32 hexadecimal digits |
/// | `identity AGE-SECRET-KEY-1…` | by which the device is handed the key |
/// | `secret TANDEM-KEY-1…` | the family's key; missing while the device waits for it |
/// | `former <id>` | a key that the present one has replaced |
/// | `device <age1…> <name>` | a device to which this one has handed the key |
/// | `end <8 digits>` | CRC-32C of all before |
///
/// A passphrase makes an age file of it, which `age -d` opens. The store does not need the file: a device that has lost
/// it asks another one for the key again, or takes the recovery code.
public struct KeyFile: Hashable, Sendable {
  /// A device to which the key was handed.
  public struct Device: Hashable, Sendable, Codable {
    /// Its age recipient, `age1…`.
    public var recipient: String
    /// The name that a person gave it.
    public var name: String
  }

  static let greatestCount = 64 << 10

  /// The store id of the family.
  public let family: RecordID
  /// Nil while the device waits for an invitation.
  public var key: FamilyKey?
  /// The devices to which this one has handed the key.
  public private(set) var devices: [Device] = []
  private let identity: X25519Identity

  /// The device's own age recipient, which it tells to a device that has the key. No secret.
  public var recipient: String { identity.recipient.description }

  /// With a new identity, and without a key.
  public init(family: RecordID) {
    self.family = family
    identity = X25519Identity()
  }

  /// Reads the file.
  ///
  /// - Throws: ``SyncError`` `unusableKey` where other users may read the file, where it is damaged, and where the
  ///   passphrase is missing or wrong; `unusableFile` where there is no file.
  public init(at url: URL, passphrase: String? = nil) throws {
    try KeyFile.refuseOpenFile(url)
    let bytes = try DurableFile.read(url, limit: KeyFile.greatestCount)
    try self.init(text: KeyFile.text(bytes, passphrase: passphrase, url), subject: url.path)
  }

  /// Reads the text. Throws ``SyncError`` `unusableKey`.
  init(text: [UInt8], subject: String) throws {
    var reader = try KeyText(text, title: "tandem-key 1", subject: subject)
    family = try reader.family()
    do {
      identity = try X25519Identity(try reader.word("identity"))
      key = try reader.key()
      while let words = reader.next("device") {
        let recipient = try X25519Recipient(words[0]).description
        devices.append(Device(recipient: recipient, name: words.dropFirst().joined(separator: " ")))
      }
    } catch let error as AgeError {
      throw SyncError(.unusableKey, "\(subject) holds what is no key: \(error.message)", cause: error)
    }
    try reader.end()
  }

  /// The key of a store's family: that of the shared family to which a ``FamilyFile`` beside the key file makes it
  /// belong, else the one in the key file; nil where there is neither.
  ///
  /// - Throws: As ``init(at:passphrase:)`` and ``FamilyFile/init(at:)``, and ``SyncError`` `keyNeeded` while the device
  ///   waits for the key.
  static func familyKey(at url: URL, of family: RecordID, passphrase: String?) throws -> FamilyKey? {
    let shared = FamilyFile.url(besideStoreAt: url)
    if let file = try FamilyFile.ifPresent(at: shared) { return file.key }
    guard try DurableFile.item(at: url) != nil else { return nil }
    let file = try KeyFile(at: url, passphrase: passphrase)
    guard file.family == family else {
      throw SyncError(.unusableKey, "\(url.path) is the key of another family; remove it, and run 'tandem key join'")
    }
    guard let key = file.key else {
      throw SyncError(
        .keyNeeded,
        "\(url.path) waits for the family's key: run 'tandem key add-device' with \(file.recipient) on a device that "
          + "has it, and 'tandem key join' here with what that wrote")
    }
    return key
  }

  /// The key of the family of the store at a path; nil where its device has no key file.
  ///
  /// - Throws: ``SyncError`` `unusableKey` for a file that cannot be used, and `keyNeeded` while the device waits for
  ///   the key.
  package static func familyKey(
    besideStoreAt url: URL, of family: RecordID, passphrase: String? = nil
  ) throws -> FamilyKey? {
    let file = url.standardizedFileURL.deletingPathExtension().appendingPathExtension("key")
    return try familyKey(at: file, of: family, passphrase: passphrase)
  }

  static func refuseOpenFile(_ url: URL) throws {
    var status = stat()
    guard stat(url.path, &status) == 0, status.st_mode & 0o077 != 0 else { return }
    throw SyncError(.unusableKey, "others may read the key in \(url.path); run 'chmod 600 \(url.path)'")
  }

  private static func text(_ bytes: [UInt8], passphrase: String?, _ url: URL) throws -> [UInt8] {
    guard !bytes.starts(with: Array("tandem-".utf8)) else { return bytes }
    guard let passphrase else {
      throw SyncError(.unusableKey, "a passphrase protects \(url.path); give it with --passphrase-file")
    }
    do {
      return try AgeFile.decrypt(bytes, with: [.passphrase(ScryptPassphrase(passphrase))])
    } catch let error as AgeError {
      let reason = error.code == .wrongKey ? "the passphrase is wrong" : error.message
      throw SyncError(.unusableKey, "cannot open the key in \(url.path): \(reason)", cause: error)
    }
  }

  /// Writes the file for its owner alone, in one step.
  ///
  /// - Throws: ``SyncError`` `inputOutput`; the old file, if any, is untouched then, unless the message says that the
  ///   new one is in its place.
  public func write(to url: URL, passphrase: String? = nil) throws {
    var bytes = text
    if let passphrase {
      do {
        bytes = try AgeFile.encrypt(bytes, to: [.passphrase(ScryptPassphrase(passphrase))])
      } catch {
        throw SyncError(.unusableKey, "cannot protect the key by the passphrase: \(error)", cause: error)
      }
    }
    try DurableFile.publish(
      bytes, named: url.lastPathComponent, in: url.deletingLastPathComponent(), sharing: .secret)
  }

  var text: [UInt8] {
    var lines = ["tandem-key 1", "family \(family)", "identity \(identity.secretText)"]
    if let key { lines += KeyText.lines(of: key) }
    lines += devices.map { "device \($0.recipient) \($0.name)" }
    return KeyText.bytes(of: lines)
  }

  // MARK: Handing the key on

  /// A file for one device alone, an age file, from which ``join(_:)`` takes the key there. Notes the device.
  ///
  /// - Throws: ``SyncError`` `keyNeeded` without a key, `unusableKey` for a text that is no recipient or no name.
  public mutating func invitation(for recipient: String, named name: String) throws -> [UInt8] {
    guard let key else { throw SyncError(.keyNeeded, "this device has no key of the family itself to hand on") }
    let name = try KeyText.name(name, of: "a device")
    do {
      let age = try X25519Recipient(recipient)
      let bytes = KeyText.bytes(of: ["tandem-invitation 1", "family \(family)"] + KeyText.lines(of: key))
      let file = try AgeFile.encrypt(bytes, to: [.x25519(age)])
      devices.removeAll { $0.recipient == recipient || $0.name == name }
      devices.append(Device(recipient: recipient, name: name))
      return file
    } catch let error as AgeError {
      throw SyncError(.unusableKey, "cannot hand the key to \(name): \(error.message)", cause: error)
    }
  }

  /// Takes the key from a file that ``invitation(for:named:)`` made for this device, in place of one that it had.
  ///
  /// Knowing the recipient is enough to make such a file. A person therefore compares ``FamilyKey/id`` with what the
  /// other device shows.
  ///
  /// - Throws: ``SyncError`` `unusableKey`; nothing has changed then.
  public mutating func join(_ invitation: [UInt8]) throws {
    let text: [UInt8]
    do {
      text = try AgeFile.decrypt(invitation, with: [.x25519(identity)])
    } catch let error as AgeError {
      let reason =
        error.code == .wrongKey
        ? "it was made for another device; run 'tandem key add-device' with \(recipient)"
        : error.message
      throw SyncError(.unusableKey, "the invitation cannot be used: \(reason)", cause: error)
    }
    var reader = try KeyText(text, title: "tandem-invitation 1", subject: "the invitation")
    guard try reader.family() == family else {
      throw SyncError(.unusableKey, "the invitation is one for another store; name the store that it was made for")
    }
    guard let found = try reader.key() else { throw reader.lack("secret") }
    try reader.end()
    guard key.map({ !$0.formerIDs.contains(found.id) }) ?? true else {
      throw SyncError(
        .unusableKey,
        "the invitation has a key that this device's present one has replaced; ask for a new invitation with 'tandem "
          + "key add-device'")
    }
    key = found
  }

  /// Replaces the key. Nobody else has the new one: hand it on again.
  ///
  /// Costs a look at the list of the store's large values.
  ///
  /// - Parameters:
  ///   - name: a device that is forgotten with it.
  ///   - store: The store of the key's family on this device; it may be missing.
  ///   - acceptingLoss: Whether the key is replaced although large values that this device has not loaded are lost
  ///     with it, unless another device has them.
  /// - Throws: ``SyncError`` `keyNeeded` without a key, `unusableKey` where no device has the name, `missingValue`
  ///   where large values would be lost; and `StoreError` where the store cannot be read, without `acceptingLoss`.
  ///   Nothing has changed then.
  public mutating func rotate(
    forgetting name: String? = nil, ofStoreAt store: URL, acceptingLoss: Bool = false
  ) throws {
    guard let key else { throw SyncError(.keyNeeded, "this device has no key of the family that could be replaced") }
    if let name {
      guard devices.contains(where: { $0.name == name }) else {
        let known = devices.map(\.name).sorted().joined(separator: ", ")
        throw SyncError(
          .unusableKey,
          "this device has handed the key to no device named \(name); it knows \(known.isEmpty ? "none" : known)"
            + (known.isEmpty || key.formerIDs.isEmpty
              ? ""
              : "; if it was forgotten before, hand the new key to the others with 'tandem key add-device'"))
      }
    }
    if !acceptingLoss { try UnloadedValues(ofStoreAt: store).refuseReplacement() }
    devices.removeAll { $0.name == name }
    self.key = key.rotated()
  }

  /// The identity by which the program `age` opens every file of the family's folder. A secret.
  public var ageIdentity: String? { key.map { FileSeal($0, storeID: family).ageIdentity } }
}
