import Foundation
import RecordStore
import TestSupport
import Testing

@testable import RecordSync

/// The files by which people join a shared family: what is read, what is refused, and what a crash leaves.
struct FamilyFileTests {
  private let root: TemporaryFolder
  private let shared: SharedStore

  init() throws {
    root = try TemporaryFolder()
    shared = SharedStore(at: root.url.appending(path: "group.com.example/Default.store"))
  }

  private func invitation(_ role: FamilyRole = .writer) throws -> FamilyInvitation {
    var file = try FamilyFile(foundedBy: "Ann  Example")
    file.meeting = .folder("/media/a  stick/é")
    return try file.invite("Bob", as: role, to: "group com/My  Books")
  }

  @Test(arguments: FamilyRole.allCases) func `an invitation reads as it was written, and is its owner's alone`(
    role: FamilyRole
  ) throws {
    let invitation = try invitation(role)
    for passphrase in [nil, "a long passphrase"] {
      let url = root.url.appending(path: "bob.invitation")
      try invitation.write(to: url, passphrase: passphrase)
      let mode = try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int
      #expect(mode == 0o600)
      let read = try FamilyInvitation(at: url, passphrase: passphrase)
      #expect(read == invitation)
      #expect(read.inviter == "Ann Example" && read.place == "group com/My  Books" && read.role == role)
      #expect(read.meeting == .folder("/media/a  stick/é"))
    }
    let text = String(decoding: invitation.text, as: UTF8.self)
    #expect(text.contains("\npen ") == (role == .writer))
    #expect(!text.contains("charter"))
  }

  @Test func `no description tells a secret`() throws {
    let invitation = try invitation()
    var file = try FamilyFile(foundedBy: "Ann")
    _ = try file.invite("Bob", as: .reader, to: "a/b")
    let pen = try #require(invitation.membership.pen)
    for secret in [KeyText.digits(pen.secret), invitation.key.recoveryCode, KeyText.digits(file.charter?.secret ?? [])]
    {
      #expect(!"\(invitation) \(file) \(invitation.key) \(pen)".contains(secret))
    }
  }

  @Test func `an invitation that was cut short or changed is refused, wherever`() throws {
    let text = try invitation().text
    for length in 0..<text.count {
      let error = #expect(throws: SyncError.self) { try FamilyInvitation(Array(text.prefix(length))) }
      #expect(error?.code == .unusableKey)
    }
    for place in text.indices {
      var changed = text
      changed[place] ^= 1
      let error = #expect(throws: SyncError.self) { try FamilyInvitation(changed) }
      #expect(error?.code == .unusableKey)
    }
  }

  /// With a right checksum, as somebody makes it who has an invitation.
  private func altered(_ text: [UInt8], _ change: (String) -> String) -> [UInt8] {
    let lines = String(decoding: text, as: UTF8.self).split(separator: "\n").dropLast().map { change(String($0)) }
    return KeyText.bytes(of: lines)
  }

  @Test func `an invitation of a format to come, of somebody else or of too great a length is refused`() throws {
    let text = try invitation().text
    let newer = #expect(throws: SyncError.self) {
      try FamilyInvitation(altered(text) { $0 == FamilyInvitation.title ? "tandem-family-invitation 2" : $0 })
    }
    #expect(newer?.message.contains("update the app") == true)
    let other = FounderKey()
    let foreign = #expect(throws: SyncError.self) {
      try FamilyInvitation(
        altered(text) { $0.hasPrefix("founder ") ? "founder \(KeyText.digits(other.publicKey))" : $0 })
    }
    #expect(foreign?.message.contains("not signed by the family's founder") == true)
    let renamed = #expect(throws: SyncError.self) {
      try FamilyInvitation(
        altered(text) { $0.hasPrefix("family ") ? "family \(String(repeating: "a", count: 32))" : $0 })
    }
    #expect(renamed?.code == .unusableKey)
    let long = #expect(throws: SyncError.self) {
      try FamilyInvitation(altered(text) { $0.hasPrefix("name ") ? $0 + String(repeating: "x", count: 70_000) : $0 })
    }
    #expect(long?.message.contains("longer than any") == true)
    let url = root.url.appending(path: "huge")
    try Data(count: 1 << 20).write(to: url)
    #expect(syncErrorCode { _ = try FamilyInvitation(at: url) } == .damagedFile)
    #expect(syncErrorCode { _ = try FamilyInvitation(at: root.url) } == .unusableFile)
    #expect(syncErrorCode { _ = try FamilyInvitation(at: root.url.appending(path: "missing")) } == .unusableFile)
    let hidden = try invitation().bytes(passphrase: "right")
    for passphrase in [nil, "wrong"] {
      let error = #expect(throws: SyncError.self) { try FamilyInvitation(hidden, passphrase: passphrase) }
      #expect(error?.message.contains("passphrase") == true)
    }
  }

  @Test func `names are one line each, none stands for two people, and a writer is not made a reader`() throws {
    var file = try FamilyFile(foundedBy: "Ann")
    for name in ["", "  ", "a\nb", String(repeating: "x", count: 201), "Ann"] {
      #expect(syncErrorCode { _ = try file.invite(name, as: .reader, to: "a/b") } == .unusableKey)
    }
    #expect(syncErrorCode { _ = try FamilyFile(foundedBy: "a\nb") } == .unusableKey)
    _ = try file.invite("Bob  B.", as: .reader, to: "a/b")
    _ = try file.invite("Bob B.", as: .writer, to: "a/b")
    #expect(file.members.map(\.name) == ["Bob B."] && file.members.map(\.role) == [.writer])
    let error = #expect(throws: SyncError.self) { try file.invite("Bob B.", as: .reader, to: "a/b") }
    #expect(error?.message.contains("remove Bob B. first") == true)
    for number in 1..<FamilyFile.greatestMemberCount { _ = try file.invite("p\(number)", as: .reader, to: "a/b") }
    #expect(syncErrorCode { _ = try file.invite("one more", as: .reader, to: "a/b") } == .unusableKey)
    #expect(try FamilyFile(text: file.text, subject: "it") == file)
    #expect(file.text.count < KeyFile.greatestCount)
  }

  @Test(arguments: [
    (MeetingPlace.folder("/media/stick/tandem"), "--folder /media/stick/tandem"),
    (.remote("backup:tandem"), "--remote backup:tandem"), (.folder("/My Drive/é"), "--folder '/My Drive/é'"),
    (.folder("/x; touch y"), "--folder '/x; touch y'"), (.remote("a:$(id)"), "--remote 'a:$(id)'"),
    (.folder("/it's"), #"--folder '/it'\''s'"#), (.folder(""), "--folder ''"),
    (.remote("a'\u{301}; id"), "--remote 'a'\\''\u{301}; id'"),
  ])
  func `the option of a meeting place is one word of a shell`(place: MeetingPlace, option: String) {
    #expect(place.option == option)
  }

  @Test(arguments: ["\u{301}nna", "a  \u{301}b", " \u{1F3FD} Bob", "e\u{301}"])
  func `a person's name may begin with an accent`(name: String) throws {
    var file = try FamilyFile(foundedBy: name)
    #expect(try FamilyFile(text: file.text, subject: "it") == file)
    let invitation = try file.invite("\(name)2", as: .writer, to: "a/b")
    #expect(try FamilyInvitation(invitation.text) == invitation)
    let joined = FamilyFile(joining: invitation)
    for file in [file, joined] {
      let read = try FamilyFile(text: file.text, subject: "it")
      #expect(read == file)
      #expect(read.text == file.text)
    }
    try file.remove(file.members[0].name, ofStoreAt: shared.url)
    #expect(file.members.isEmpty)
  }

  @Test func `members neither invite nor remove, and a family file that others may read is refused`() throws {
    let invitation = try invitation()
    try shared.join(invitation)
    for error in [
      #expect(throws: SyncError.self) { try shared.invite("Eve", as: .reader) },
      #expect(throws: SyncError.self) { try shared.remove("Bob") },
    ] {
      #expect(error?.code == .readOnly && error?.message.contains("ask Ann Example") == true)
    }
    #expect(chmod(shared.familyFile.path, 0o640) == 0)
    let open = #expect(throws: SyncError.self) { try shared.family() }
    #expect(open?.message.contains("chmod 600") == true)
    #expect(chmod(shared.familyFile.path, 0o600) == 0)
    #expect(try shared.family() == FamilyFile(joining: invitation))
    #expect(try shared.leave() != nil && shared.family() == nil)
    let none = #expect(throws: SyncError.self) { try shared.invite("Eve", as: .reader) }
    #expect(none?.code == .keyNeeded)
    #expect(try FileManager.default.contentsOfDirectory(atPath: root.url.path) == ["group.com.example"])
  }

  /// Does it with a crash at each point, and then once more: whatever was there is whole, and the repetition ends well.
  private func repeating(
    _ start: () throws -> Void, _ action: () throws -> Void, isWhole: (FamilyFile?) -> Bool,
    isDone: (FamilyFile?) -> Bool
  ) async throws {
    var point = 0
    var isOver = false
    while !isOver {
      try start()
      isOver = try await !isStopped(at: point) { try action() }
      #expect(try isWhole(shared.family()), "point \(point)")
      try action()
      #expect(try isDone(shared.family()), "point \(point)")
      point += 1
    }
    #expect(point > 1)
  }

  @Test func `founding, inviting, removing, joining and leaving may be cut anywhere and repeated`() async throws {
    let leave = { _ = try shared.leave() }
    try await repeating(
      leave, { try shared.found(named: "Ann") }, isWhole: { $0?.isFounder ?? true }, isDone: { $0?.isFounder ?? false })
    let found = {
      try shared.leave()
      try shared.found(named: "Ann")
    }
    let letter = root.url.appending(path: "bob.invitation")
    try await repeating(
      { _ = try found() }, { try shared.invite("Bob", as: .writer).write(to: letter) },
      isWhole: { $0?.isFounder ?? false }, isDone: { $0?.members.map(\.name) == ["Bob"] })
    // Whatever repetitions were needed, the invitation is one of the family.
    #expect(try FamilyInvitation(at: letter).family == shared.family()?.family)
    try await repeating(
      {
        _ = try found()
        _ = try shared.invite("Bob", as: .writer)
      },
      {
        // Said to be gone already where the crash came after it.
        guard try shared.family()?.members.isEmpty == false else { return }
        _ = try shared.remove("Bob")
      }, isWhole: { $0.map { $0.members.isEmpty != $0.key.formerIDs.isEmpty } ?? false },
      isDone: { $0?.key.formerIDs.count == 1 })
    let invitation = try invitation(.reader)
    try await repeating(
      leave, { try shared.join(invitation) }, isWhole: { $0?.role ?? .reader == .reader },
      isDone: { $0?.family == invitation.family })
    try await repeating(
      { try shared.join(invitation) }, leave, isWhole: { _ in true }, isDone: { $0 == nil })
  }

  @Test func `a disk that refuses a write leaves the family as it was`() throws {
    try shared.found(named: "Ann")
    let before = try shared.family()
    for call in [FileCall.create, .flush, .rename] {
      let error = #expect(throws: SyncError.self) {
        try FileCall.$watcher.withValue({ found, _ in found == call ? ENOSPC : nil }) {
          _ = try shared.invite("Bob", as: .writer)
        }
      }
      #expect(error?.code == .inputOutput)
      // The file is new or old where its folder could not be flushed, and old where it got no name.
      if call != .flush { #expect(try shared.family() == before) }
    }
    let kept = try shared.family()
    let code = syncErrorCode {
      try FileCall.$watcher.withValue({ found, _ in found == .remove ? EACCES : nil }) { _ = try shared.leave() }
    }
    #expect(code == .inputOutput)
    #expect(try shared.family() == kept)
  }
}
