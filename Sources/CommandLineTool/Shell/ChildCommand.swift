import Foundation

/// One command of a shell, in a process of its own: Ctrl-C ends it and not the shell, and a damaged page that crashes
/// its reader takes the command along and no more.
///
/// The process stays in the shell's group, which has the terminal; `Foundation.Process` would give it another.
struct ChildCommand {
  let arguments: [String]
  /// Without one, the command must not read the lines that are meant for the shell.
  let hasTerminal: Bool

  func run() throws -> ExitStatus {
    guard let executable = Bundle.main.executableURL else {
      throw CommandFailure("cannot find this program's own file to run the command; reinstall tandem")
    }
    try Console.standard.flush()
    let process = try start(executable.path)
    let raw = Interruption.shared.leavingSignalsToAnother {
      Interruption.shared.whileRunning(tidy: { kill(process, SIGTERM) }) { ChildCommand.wait(for: process) }
    }
    // The lower seven bits are the signal that ended it; the byte above is its exit code.
    let signal = raw & 0x7F
    guard signal != 0 else { return ExitStatus(code: (raw >> 8) & 0xFF) }
    Console.standard.tell("the command was ended by signal \(signal); the shell goes on")
    return ExitStatus(code: 128 + signal)
  }

  private func start(_ executable: String) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if !hasTerminal { posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0) }
    // Pointers as the system's call takes them; the copies are freed here, when it has read them.
    var words: [UnsafeMutablePointer<CChar>?] = ([executable] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var process: pid_t = 0
    let code = posix_spawn(&process, executable, &actions, nil, &words, environ)
    guard code == 0 else {
      throw CommandFailure(
        "cannot start \(executable): \(String(cString: strerror(code))); nothing was done, try the line again")
    }
    return process
  }

  private static func wait(for process: pid_t) -> Int32 {
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    return status
  }
}
