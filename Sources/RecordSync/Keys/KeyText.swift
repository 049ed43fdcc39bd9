import RecordStore

/// The lines of a key file or an invitation: a title, facts in a fixed order, and a checksum.
struct KeyText {
  private var lines: ArraySlice<[String]>
  private let subject: String
  private let remedy: String

  static func bytes(of lines: [String]) -> [UInt8] {
    let text = Array((lines.joined(separator: "\n") + "\n").utf8)
    return text + Array("end \(checksum(of: text[...]))\n".utf8)
  }

  static func lines(of key: FamilyKey) -> [String] {
    ["secret \(key.recoveryCode)"] + key.formerIDs.sorted().map { "former \($0)" }
  }

  /// The parts of a line between its spaces. By bytes: with an accent behind it, a space is a part of a `Character`,
  /// and a name may begin with an accent.
  static func words(of line: Substring.UTF8View) -> [String] {
    line.split(separator: UInt8(ascii: " ")).map { String(Substring($0)) }
  }

  private static func checksum(of text: ArraySlice<UInt8>) -> String {
    String(UInt64(CRC32C.checksum(text)).hexadecimal.suffix(8))
  }

  /// Throws ``SyncError`` `unusableKey` for what is not whole, or of a format to come. `remedy`: how to get
  /// another one.
  init(
    _ bytes: [UInt8], title: String, subject: String, remedy: String = "ask another device for the key again"
  ) throws {
    (self.subject, self.remedy) = (subject, remedy)
    let endBytes = "end 01234567\n".utf8.count
    let text = bytes.dropLast(endBytes)
    guard bytes.suffix(endBytes).elementsEqual("end \(KeyText.checksum(of: text))\n".utf8),
      let whole = String(validating: text, as: UTF8.self)
    else { throw SyncError(.unusableKey, "\(subject) is damaged or not such a file; \(remedy)") }
    let words = whole.utf8.split(separator: UInt8(ascii: "\n")).map(KeyText.words)
    guard words.first?.joined(separator: " ") == title else {
      throw SyncError(.unusableKey, "\(subject) is of a kind or format that this build does not read; update the app")
    }
    lines = words.dropFirst()
  }

  /// The words after this one, where the next line begins with it.
  mutating func next(_ word: String) -> [String]? {
    guard let line = lines.first, line.first == word, line.count > 1 else { return nil }
    lines.removeFirst()
    return Array(line.dropFirst())
  }

  mutating func word(_ word: String) throws -> String {
    guard let words = next(word), words.count == 1 else { throw lack(word) }
    return words[0]
  }

  mutating func family() throws -> RecordID {
    guard let id = RecordID(try word("family")) else { throw lack("family") }
    return id
  }

  /// Nil where none is there.
  mutating func key() throws -> FamilyKey? {
    guard let code = next("secret") else { return nil }
    var key = try FamilyKey(recoveryCode: code.joined())
    while let words = next("former") {
      let isID = words[0].utf8.count == 2 * FamilyKey.idBytes && words[0].utf8.allSatisfy(\.isLowerHexadecimalDigit)
      guard isID, words.count == 1 else { throw lack("former") }
      key.formerIDs.insert(words[0])
    }
    return key
  }

  /// The words of a line, with one space between each two.
  mutating func text(_ word: String) throws -> String {
    guard let words = next(word) else { throw lack(word) }
    return words.joined(separator: " ")
  }

  /// Bytes in hexadecimal digits.
  func bytes(_ digits: String, count: Int, of word: String) throws -> [UInt8] {
    let all = Array(digits.utf8)
    guard all.count == 2 * count, all.allSatisfy(\.isLowerHexadecimalDigit) else { throw lack(word) }
    return stride(from: 0, to: all.count, by: 2).compactMap {
      UInt8(String(decoding: all[$0..<$0 + 2], as: UTF8.self), radix: 16)
    }
  }

  static func digits(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  func end() throws {
    guard lines.isEmpty else { throw lack("end") }
  }

  func lack(_ word: String) -> SyncError {
    SyncError(.unusableKey, "\(subject) lacks its line '\(word)', or has it in another place; \(remedy)")
  }
}
