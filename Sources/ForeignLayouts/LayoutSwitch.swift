#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The bets that the environment variable `TANDEM_FOREIGN_LAYOUTS` turns off.
package struct LayoutSwitch: Equatable, Sendable {
  package static let variable = "TANDEM_FOREIGN_LAYOUTS"
  private static let all = "off"

  package private(set) var off: Set<ForeignLayout.Name> = []
  /// The words in the variable that name no bet.
  package private(set) var unknown: [String] = []

  /// - Parameter text: `off`, or names separated by commas; spaces and empty names count for nothing.
  package init(_ text: String) {
    for part in text.split(separator: ",") {
      let name = String(part.filter { !$0.isWhitespace })
      if name == Self.all {
        off = Set(ForeignLayout.Name.allCases)
      } else if let known = ForeignLayout.Name(rawValue: name) {
        off.insert(known)
      } else if !name.isEmpty {
        unknown.append(name)
      }
    }
  }

  /// The switch of this process. Complains about unknown names once, on standard error.
  static let process: LayoutSwitch = {
    // Not by Foundation, which copies all variables.
    let given = LayoutSwitch(getenv(variable).map { String(cString: $0) } ?? "")
    if let complaint = given.complaint { say(complaint) }
    return given
  }()

  package var complaint: String? {
    guard !unknown.isEmpty else { return nil }
    let names = ForeignLayout.Name.allCases.map(\.rawValue).joined(separator: ", ")
    return "\(Self.variable) names \(unknown.map { "'\($0)'" }.joined(separator: ", ")), which is ignored; it takes "
      + "'\(Self.all)' or some of: \(names)"
  }

  static func say(_ sentence: String) {
    let line = Array("Tandem: \(sentence)\n".utf8)
    // Nothing can be done where standard error takes no bytes.
    _ = write(STDERR_FILENO, line, line.count)
  }
}
