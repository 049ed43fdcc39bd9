/// The secret in the page's address. A request that bears it comes from a reader of the address; a program of another
/// user, or a page of another origin, cannot guess it.
struct AccessToken: Sendable {
  /// 256 random bits in hexadecimal digits.
  let text: String

  init() {
    var generator = SystemRandomNumberGenerator()
    text = (0..<4).map { _ in
      let digits = String(generator.next() as UInt64, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }

  /// Takes the same time whichever letters are wrong.
  func isEqual(to other: some StringProtocol) -> Bool {
    guard other.utf8.count == text.utf8.count else { return false }
    return zip(text.utf8, other.utf8).reduce(0 as UInt8) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
