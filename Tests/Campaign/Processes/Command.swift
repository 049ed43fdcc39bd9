import Foundation

/// The command lines of this program's own processes.
enum Command {
  static let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path

  static func work(_ what: String, _ folder: URL, _ seed: UInt64, _ rest: String...) -> [String] {
    [program, "work", what, folder.path, "\(seed)"] + rest
  }
}
