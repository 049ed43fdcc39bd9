import Foundation

/// Plays the other process in tests: `store-test-helper <command> <arguments>`. It says on standard output how far it
/// has come, one line at a time, and takes its cues from standard input.
let arguments = Array(CommandLine.arguments.dropFirst())
guard let name = arguments.first, let command = commands[name] else {
  FileHandle.standardError.write(Data("commands: \(commands.keys.sorted().joined(separator: ", "))\n".utf8))
  exit(64)
}

do {
  try command(Array(arguments.dropFirst()))
} catch {
  FileHandle.standardError.write(Data("\(name): \(error)\n".utf8))
  exit(1)
}
