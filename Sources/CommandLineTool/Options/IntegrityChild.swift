import Foundation
import RecordStore
import StoreInspection

/// Checks one store in a child process: LMDB has no checksums of its own, and a damaged page can crash its reader.
///
/// The child says on its output, one line of JSON each: flaws of pages, read without LMDB, before anything that may
/// crash; what it reads next; and at the end the outcome.
struct IntegrityChild {
  let store: URL
  let access: AccessOptions

  func run() throws -> CheckOutcome {
    try run { process, read in try Interruption.shared.whileRunning(tidy: { process.terminate() }, read) }
  }

  /// `reading` gets the running process and what reads its answer, and sees to it that the process is ended if this one
  /// is asked to end meanwhile.
  func run(_ reading: (_ process: Process, _ read: () throws -> Data) throws -> Data) throws -> CheckOutcome {
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
    let input = ParentWatch.input()
    process.standardInput = input
    defer { withExtendedLifetime(input) {} }
    // Whatever a crashing child has to say is not for people; the signal is named below.
    process.standardError = FileHandle.nullDevice
    try process.run()
    let text = try reading(process) { try answer.fileHandleForReading.readToEnd() ?? Data() }
    process.waitUntilExit()
    return try outcome(of: process, saying: String(decoding: text, as: UTF8.self))
  }

  private func outcome(of process: Process, saying text: String) throws -> CheckOutcome {
    let lines = text.split(separator: "\n").map { try? JSON(parsing: String($0)) }
    let flaws = lines.compactMap { $0?["flaw"]?.stringValue }
    if process.terminationReason == .uncaughtSignal {
      let reading = lines.compactMap { $0?["reading"]?.stringValue }.last ?? "the list of tables"
      return .damaged(
        "the reading process ended by signal \(process.terminationStatus) while reading \(reading)", flaws: flaws)
    }
    guard process.terminationStatus == 0, let json = lines.last ?? nil, let outcome = CheckOutcome(json: json) else {
      throw CommandFailure(
        "the check of \(store.path) ended with code \(process.terminationStatus) and no answer; "
          + "run it again where more processes and memory are free")
    }
    if case .damaged(let message, flaws: []) = outcome { return .damaged(message, flaws: flaws) }
    return outcome
  }
}

// The child's side.
extension IntegrityChild {
  static func check(_ configuration: StoreConfiguration, at store: URL) throws {
    CrashSentence.remove()
    ParentWatch.begin()
    var configuration = configuration
    // The parent of this process waits for its end and tells what it was.
    configuration.ignoresOpeningMarker = true
    var hasFlaws = false
    do {
      for flaw in try RecordStore.pageFlaws(ofStoreAt: store) {
        hasFlaws = true
        try say(["flaw": .string(flaw)])
      }
    } catch is StoreError {
      // Opening the store says what it is, in words for people.
    }
    var failure: (any Error)?
    let outcome = CheckOutcome(checkingHere: configuration, hasFlaws: hasFlaws) { place in
      do { try say(["reading": .string(place)]) } catch { failure = error }
    }
    if let failure { throw failure }
    try say(outcome.json)
  }

  /// At once, for the next thing may end the process.
  private static func say(_ json: JSON) throws {
    try Console.standard.print(json)
    try Console.standard.flush()
  }
}
