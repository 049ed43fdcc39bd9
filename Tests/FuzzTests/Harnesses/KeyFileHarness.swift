@testable import RecordSync

extension Harness {
  /// The text of a key file.
  static let keyFile = Harness("key-file", errors: [SyncError.self]) { bytes in
    let file = try KeyFile(text: bytes.sealedKeyText, subject: "a fuzzed key file")
    let written = try KeyFile(text: file.text, subject: "it")
    try promise(written == file, "a key file that was written and read again is another")
  }
}

extension [UInt8] {
  /// Of a text that ends in a line with the checksum of all before.
  var sealedKeyText: [UInt8] {
    guard count > 13 else { return self }
    let digits = String(UInt64(CRC32C.checksum(dropLast(13))), radix: 16)
    let line = "end " + String(repeating: "0", count: 8 - digits.count) + digits + "\n"
    return dropLast(13) + line.utf8
  }
}
