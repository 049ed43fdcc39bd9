import Foundation
import StoreInspection

/// Checks one store in a child process: LMDB has no checksums of its own, and a damaged page can crash its reader.
struct IntegrityChild {
  let store: URL
  let access: AccessOptions

  func run() throws -> CheckOutcome {
    guard let executable = Bundle.main.executableURL else {
      throw CommandFailure(
        "cannot find this program's own file to run the check in a process of its own; reinstall tandem")
    }
    let process = Process()
    process.executableURL = executable
    process.arguments = ["check", store.path, "--here", "--timeout", "\(access.timeout)"]
    if access.unsafelyAllowNetworkFileSystem { process.arguments?.append("--unsafely-allow-network-file-system") }
    let answer = Pipe()
    process.standardOutput = answer
    process.standardInput = FileHandle.nullDevice
    // Whatever a crashing child has to say is not for people; the signal is named below.
    process.standardError = FileHandle.nullDevice
    try process.run()
    let text = try Interruption.shared.whileRunning(tidy: { process.terminate() }) {
      try answer.fileHandleForReading.readToEnd() ?? Data()
    }
    process.waitUntilExit()
    return try outcome(of: process, saying: String(decoding: text, as: UTF8.self))
  }

  private func outcome(of process: Process, saying text: String) throws -> CheckOutcome {
    if process.terminationReason == .uncaughtSignal {
      return .damaged("reading the file of \(store.path) ended the check by signal \(process.terminationStatus)")
    }
    guard process.terminationStatus == 0, let json = try? JSON(parsing: text), let outcome = CheckOutcome(json: json)
    else {
      throw CommandFailure(
        "the check of \(store.path) ended with code \(process.terminationStatus) and no answer; run it again")
    }
    return outcome
  }
}
