import Foundation
import RecordStore

/// The lines of family files and invitations.
extension KeyText {
  static func lines(of pen: WriterPen?) -> [String] {
    pen.map { ["pen \(digits($0.secret)) \(digits($0.certificate.signature))"] } ?? []
  }

  static func lines(of meeting: MeetingPlace?) -> [String] {
    switch meeting {
    case .folder(let path): ["folder \(encoded(path))"]
    case .remote(let name): ["remote \(encoded(name))"]
    case nil: []
    }
  }

  /// A text in one word.
  static func encoded(_ text: String) -> String {
    // Only characters outside of the set are changed, and UTF-8 has a form for each of them.
    text.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? ""
  }

  /// A name as it stands in a line: one line of at most 200 bytes, without spaces in a row. `bearer`: in the sentence
  /// of the refusal.
  static func name(_ text: String, of bearer: String = "a person") throws(SyncError) -> String {
    let name = words(of: text[...].utf8).joined(separator: " ")
    guard !name.isEmpty, name.utf8.count <= 200, !name.contains(where: \.isNewline) else {
      throw SyncError(.unusableKey, "\(bearer)'s name is one line of at most 200 bytes; choose another one")
    }
    return name
  }

  mutating func encoded(_ word: String) throws -> String {
    guard let text = try self.word(word).removingPercentEncoding else { throw lack(word) }
    return text
  }

  /// Nil where none is there: a reader's.
  mutating func pen() throws -> WriterPen? {
    guard let words = next("pen") else { return nil }
    guard words.count == 2,
      let pen = WriterPen(
        secret: try bytes(words[0], count: FounderKey.byteCount, of: "pen"),
        certificateSignature: try bytes(words[1], count: WriterCertificate.signatureBytes, of: "pen"))
    else { throw lack("pen") }
    return pen
  }

  /// Nil where none is there.
  mutating func meeting() throws -> MeetingPlace? {
    for (word, kind) in [("folder", MeetingPlace.folder), ("remote", MeetingPlace.remote)] {
      guard let words = next(word) else { continue }
      guard words.count == 1, let text = words[0].removingPercentEncoding, !text.isEmpty else { throw lack(word) }
      return kind(text)
    }
    return nil
  }
}
