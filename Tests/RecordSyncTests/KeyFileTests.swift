import AgeEncryption
import Foundation
import RecordStore
import TestSupport
import Testing

@testable import RecordSync

/// The file with a device's part of a family's key, and how it is handed on.
struct KeyFileTests {
  private let family = RecordID(high: 0xFA, low: 7)

  private func withFile(_ body: (URL) throws -> Void) throws {
    let folder = try TemporaryFolder()
    try body(folder.url.appending(path: "Default.key"))
    withExtendedLifetime(folder) {}
  }

  /// Where there is no store.
  private let noStore = URL(fileURLWithPath: "/nonexistent/nothing.store")

  private func keyFile(_ key: FamilyKey? = FamilyKey()) -> KeyFile {
    var file = KeyFile(family: family)
    file.key = key
    return file
  }

  @Test(arguments: [nil, "a long passphrase"]) func `a key file is its owner's alone and reads as it was written`(
    passphrase: String?
  ) throws {
    try withFile { url in
      var file = keyFile(FamilyKey().rotated().rotated())
      _ = try file.invitation(for: X25519Identity().recipient.description, named: "Jasmine's laptop")
      try file.write(to: url, passphrase: passphrase)
      let mode = try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int
      #expect(mode == 0o600)
      #expect(try KeyFile(at: url, passphrase: passphrase) == file)
    }
  }

  @Test func `a folder of a group gives its group no key`() throws {
    try withFile { url in
      #expect(chmod(url.deletingLastPathComponent().path, 0o2770) == 0)
      try keyFile().write(to: url)
      let mode = try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int
      #expect(mode == 0o600)
    }
  }

  @Test func `a key file that others may read is refused until that is changed`() throws {
    try withFile { url in
      let file = keyFile()
      try file.write(to: url)
      #expect(chmod(url.path, 0o640) == 0)
      let error = #expect(throws: SyncError.self) { try KeyFile(at: url) }
      #expect(error?.code == .unusableKey)
      #expect(error?.message.contains("chmod 600") == true)
      #expect(chmod(url.path, 0o600) == 0)
      #expect(try KeyFile(at: url) == file)
    }
  }

  @Test func `a missing or wrong passphrase is told`() throws {
    try withFile { url in
      try keyFile().write(to: url, passphrase: "right")
      for (passphrase, word) in [(nil, "--passphrase-file"), ("wrong", "passphrase is wrong")] {
        let error = #expect(throws: SyncError.self) { try KeyFile(at: url, passphrase: passphrase) }
        #expect(error?.message.contains(word) == true, "\(String(describing: error))")
      }
    }
  }

  @Test func `every key file that is cut short or changed is refused`() throws {
    try withFile { url in
      let file = keyFile(FamilyKey().rotated())
      try file.write(to: url)
      let bytes = Array(try Data(contentsOf: url))
      for count in 0..<bytes.count {
        try DurableFile.publish(
          Array(bytes.prefix(count)), named: url.lastPathComponent, in: url.deletingLastPathComponent())
        #expect(syncErrorCode { _ = try KeyFile(at: url) } == .unusableKey, "\(count)")
      }
      for index in bytes.indices {
        var changed = bytes
        changed[index] ^= 1
        try DurableFile.publish(changed, named: url.lastPathComponent, in: url.deletingLastPathComponent())
        #expect(syncErrorCode { _ = try KeyFile(at: url) } == .unusableKey, "\(index)")
      }
    }
  }

  @Test func `a recovery code is the key, in any letters and groups, and tells what was copied wrongly`() throws {
    let key = FamilyKey()
    let code = key.recoveryCode
    #expect(try FamilyKey(recoveryCode: code) == key)
    #expect(try FamilyKey(recoveryCode: code.lowercased().filter { $0 != " " } + "\n") == key)
    let letters = Array(code)
    for index in letters.indices where letters[index] != " " {
      var wrong = letters
      wrong[index] = wrong[index] == "Q" ? "P" : "Q"
      let error = #expect(throws: SyncError.self) { try FamilyKey(recoveryCode: String(wrong)) }
      #expect(error?.code == .unusableKey)
      #expect(error?.message.contains(String(letters.suffix(4))) == false)
    }
  }

  @Test func `a sentence or a log that names a key holds nothing of it`() {
    let key = FamilyKey()
    let secret = key.recoveryCode.filter { $0 != " " }.dropFirst(12)
    #expect(!"\(key)".uppercased().contains(secret.prefix(8)))
    #expect("\(key)".contains(key.id))
    #expect(FamilyKey().id != key.id)
  }

  @Test func `a device gets the key by an invitation that only it can read`() throws {
    var (phone, laptop, other) = (keyFile(), keyFile(nil), keyFile(nil))
    let invitation = try phone.invitation(for: laptop.recipient, named: "laptop")
    #expect(phone.devices == [KeyFile.Device(recipient: laptop.recipient, name: "laptop")])
    try laptop.join(invitation)
    #expect(laptop.key == phone.key)
    let error = #expect(throws: SyncError.self) { try other.join(invitation) }
    #expect(error?.code == .unusableKey)
    #expect(other.key == nil)
    var changed = invitation
    changed[changed.count - 1] ^= 1
    #expect(syncErrorCode { try laptop.join(changed) } == .unusableKey)
    #expect(laptop.key == phone.key)
    var stranger = KeyFile(family: RecordID(high: 1, low: 1))
    stranger.key = FamilyKey()
    let theirs = try stranger.invitation(for: laptop.recipient, named: "laptop")
    #expect(syncErrorCode { try laptop.join(theirs) } == .unusableKey)
    #expect(laptop.key == phone.key)
  }

  @Test func `an invitation without a key, or with one that was replaced, takes no key away`() throws {
    var (phone, laptop) = (keyFile(), keyFile(nil))
    let older = try phone.invitation(for: laptop.recipient, named: "laptop")
    try phone.rotate(ofStoreAt: noStore)
    try laptop.join(try phone.invitation(for: laptop.recipient, named: "laptop"))
    let empty = try AgeFile.encrypt(
      KeyText.bytes(of: ["tandem-invitation 1", "family \(family)"]),
      to: [.x25519(try X25519Recipient(laptop.recipient))])
    for (invitation, word) in [(empty, "'secret'"), (older, "replaced")] {
      let error = #expect(throws: SyncError.self) { try laptop.join(invitation) }
      #expect(error?.code == .unusableKey)
      #expect(error?.message.contains(word) == true, "\(String(describing: error))")
      #expect(laptop.key == phone.key)
    }
  }

  /// To Swift a space and the accent behind it are one character, which is no space: a file with such a name was
  /// written and could not be read again.
  @Test(arguments: ["\u{301}nna", "a  \u{301}b", " \u{1F3FD} phone", "e\u{301}"])
  func `a device's name may begin with an accent`(name: String) throws {
    var file = keyFile()
    _ = try file.invitation(for: X25519Identity().recipient.description, named: name)
    let read = try KeyFile(text: file.text, subject: "it")
    #expect(read == file)
    #expect(read.devices.map { Array($0.name.utf8) } == file.devices.map { Array($0.name.utf8) })
    try file.rotate(forgetting: file.devices[0].name, ofStoreAt: noStore)
    #expect(file.devices.isEmpty)
  }

  @Test func `what is no recipient, no name or no key is told`() throws {
    var file = keyFile()
    for recipient in ["", "age1", "laptop", file.ageIdentity ?? ""] {
      #expect(syncErrorCode { _ = try file.invitation(for: recipient, named: "laptop") } == .unusableKey)
    }
    let recipient = X25519Identity().recipient.description
    for name in ["", "two\nlines", String(repeating: "n", count: 300)] {
      #expect(syncErrorCode { _ = try file.invitation(for: recipient, named: name) } == .unusableKey)
    }
    var waiting = keyFile(nil)
    let error = #expect(throws: SyncError.self) { try waiting.invitation(for: recipient, named: "laptop") }
    #expect(error?.code == .keyNeeded)
    #expect(syncErrorCode { try waiting.rotate(ofStoreAt: noStore) } == .keyNeeded)
    #expect(file.devices.isEmpty)
  }

  @Test func `a rotation replaces the key, knows the old one's id, and forgets a device`() throws {
    var file = keyFile()
    let old = try #require(file.key)
    _ = try file.invitation(for: X25519Identity().recipient.description, named: "lost")
    _ = try file.invitation(for: X25519Identity().recipient.description, named: "laptop")
    #expect(syncErrorCode { try file.rotate(forgetting: "unknown", ofStoreAt: noStore) } == .unusableKey)
    #expect(file.key == old)
    try file.rotate(forgetting: "lost", ofStoreAt: noStore)
    #expect(file.key != old)
    #expect(file.key?.formerIDs == [old.id])
    #expect(file.devices.map(\.name) == ["laptop"])
  }
}
