import RecordStore

/// `<from>-<to>-<hash>.tcs`: sequence numbers in 16 hexadecimal digits, the first half of the file's SHA-256 in 32.
struct ChangeSetName: Hashable, Sendable {
  static let suffix = ".tcs"
  var from: UInt64
  var to: UInt64
  var hash: String

  var text: String { "\(from.hexadecimal)-\(to.hexadecimal)-\(hash)\(ChangeSetName.suffix)" }

  init(from: UInt64, to: UInt64, hash: ContentHash) {
    self.from = from
    self.to = to
    self.hash = hash.name
  }

  /// Whether a file of this name is a change set, or a copy of one. Some services and file systems write names in
  /// capitals.
  static func mayBe(_ name: String) -> Bool {
    !name.hasPrefix(".") && (name.hasSuffix(suffix) || name.suffix(suffix.count).lowercased() == suffix)
  }

  /// Nil for every other name, such as that of a conflict copy or of a partial file.
  init?(_ name: String) {
    guard name.hasSuffix(ChangeSetName.suffix) else { return nil }
    let parts = name.dropLast(ChangeSetName.suffix.count).split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 3, let from = UInt64(exactHexadecimal: parts[0]),
      let to = UInt64(exactHexadecimal: parts[1]),
      parts[2].utf8.count == 32, parts[2].utf8.allSatisfy(\.isLowerHexadecimalDigit), from >= 1, from <= to,
      to <= Dot.greatestSequence
    else { return nil }
    self.from = from
    self.to = to
    hash = String(parts[2])
  }
}

extension UInt64 {
  /// Exactly sixteen lower-case hexadecimal digits: one spelling for each number.
  init?(exactHexadecimal text: some StringProtocol) {
    guard text.utf8.count == 16, text.utf8.allSatisfy(\.isLowerHexadecimalDigit),
      let value = UInt64(text, radix: 16)
    else { return nil }
    self = value
  }
}

extension UInt8 {
  var isLowerHexadecimalDigit: Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(self)
  }
}
