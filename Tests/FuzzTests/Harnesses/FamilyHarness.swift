import RecordStore

@testable import RecordSync

extension Harness {
  /// The text of a family file, or of an invitation.
  static let family = Harness("family", errors: [SyncError.self]) { bytes in
    let text = bytes.sealedKeyText
    if text.starts(with: Array("tandem-family-invitation".utf8)) {
      let invitation = try FamilyInvitation(text: text, subject: "a fuzzed invitation")
      let written = try FamilyInvitation(text: invitation.text, subject: "it")
      try promise(written == invitation, "an invitation that was written and read again is another")
    } else {
      let file = try FamilyFile(text: text, subject: "a fuzzed family file")
      let written = try FamilyFile(text: file.text, subject: "it")
      try promise(written == file, "a family file that was written and read again is another")
    }
  }
}
