/// The words of the command line as the system hands them over: pointers to bytes that end with a zero, there for as
/// long as the process.
package enum ProgramArguments {
  /// A sentence that refuses the first word that is not UTF-8; nil where all are.
  ///
  /// Swift puts the sign for "unreadable" in the place of what it cannot read: a file of another name would be written,
  /// or another value stored, than the person has named.
  package static var refusal: String? {
    for number in 1..<max(1, Int(CommandLine.argc)) {
      guard let word = CommandLine.unsafeArgv[number], String(validatingCString: word) == nil else { continue }
      let bytes = UnsafeBufferPointer(start: word, count: length(of: word)).map { UInt8(bitPattern: $0) }
      return "'\(visible(bytes))', word \(number) of the command line, is not UTF-8, in which names and values are "
        + "written; rename the file, or set the terminal to UTF-8"
    }
    return nil
  }

  /// Bytes that are not printable ASCII as `\xFF`.
  static func visible(_ bytes: [UInt8]) -> String {
    bytes.map { byte in
      if (0x20..<0x7F).contains(byte), byte != UInt8(ascii: "\\") { return String(UnicodeScalar(byte)) }
      let digits = String(byte, radix: 16, uppercase: true)
      return "\\x" + (digits.count < 2 ? "0" : "") + digits
    }.joined()
  }

  private static func length(of word: UnsafePointer<CChar>) -> Int {
    var count = 0
    while word[count] != 0 { count += 1 }
    return count
  }
}
