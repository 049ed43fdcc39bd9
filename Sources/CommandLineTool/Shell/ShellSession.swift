import StoreInspection

/// Runs lines of a shell, one after the other.
struct ShellSession {
  private let path: String
  private let options: [String]
  let isInteractive: Bool
  private var mode = ListingMode.table
  private(set) var isOver = false

  init(path: String, access: AccessOptions, isInteractive: Bool) {
    self.path = path
    self.isInteractive = isInteractive
    options =
      (access.timeout == AccessOptions.defaultTimeout ? [] : ["--timeout", "\(access.timeout)"])
      + (access.unsafelyAllowNetworkFileSystem ? ["--unsafely-allow-network-file-system"] : [])
  }

  /// Runs one line. Its failure is on standard error when this returns.
  mutating func run(_ line: String) -> ExitStatus {
    var status = ExitStatus.success
    let attempted = TandemTool.attempt {
      let words = try ShellWords.words(of: line)
      guard let word = words.first, !word.hasPrefix("#") else { return }
      let first = words.count == 1 ? ShellSetting.habits[word] ?? word : word
      status = first.hasPrefix(".") ? try set([first] + words.dropFirst()) : try runCommand(words)
    }
    let flushed = TandemTool.attempt { try Console.standard.flush() }
    return [flushed, attempted, status].first { $0 != .success } ?? .success
  }

  private func runCommand(_ words: [String]) throws -> ExitStatus {
    let arguments = try ShellCommand(store: path, options: options, mode: mode).arguments(words)
    return try ChildCommand(arguments: arguments, hasTerminal: isInteractive).run()
  }

  private mutating func set(_ words: [String]) throws -> ExitStatus {
    switch (words[0], words.count) {
    case (".exit", 1): isOver = true
    case (".help", 1): for line in ShellSetting.help { try Console.standard.print(line) }
    case (".schema", 1): return try runCommand(["schema"])
    case (".mode", 1): try Console.standard.print(mode.rawValue)
    case (".mode", 2): mode = try ShellSession.mode(words[1])
    case (let name, _) where ShellSetting.names.contains(name):
      throw CommandFailure("\(name) does not take these words; .help shows what it takes")
    default:
      throw CommandFailure(
        "there is no '\(DisplayText.visible(words[0]))'; "
          + NameSuggestion.sentence(for: words[0], among: ShellSetting.names))
    }
    return .success
  }

  private static func mode(_ name: String) throws(CommandFailure) -> ListingMode {
    if let mode = ListingMode(rawValue: name) { return mode }
    let names = ListingMode.allCases.map(\.rawValue).joined(separator: ", ")
    throw CommandFailure("there is no mode '\(DisplayText.visible(name))'; choose one of \(names)")
  }
}
