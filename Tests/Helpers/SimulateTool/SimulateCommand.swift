import ArgumentParser
import Dispatch
import Foundation
import RecordStore
import Simulator
import Synchronization

/// Long runs of the simulator; `tools/simulate` builds and starts it.
@main
struct SimulateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate",
    abstract: "Runs random histories of several replicas against an oracle that knows all facts.",
    discussion: """
      Exit code 0: all invariants held; 1: one was violated, and the smallest history that shows it is printed as a \
      scenario file; 64: wrong usage. Ctrl-C ends the run with its summary.
      """)

  @Option(help: "The seed of the first history; the others follow.") var seed: UInt64 = 1
  @Option(help: "How many histories; 0: until the time is over or Ctrl-C.") var histories = 2000
  @Option(help: "Ends the run after so many seconds.") var seconds: Int?
  @Option(help: "Makes a rule wrong on purpose, to see that it is noticed.") var mutant: String?
  @Option(help: "Only histories over this schema.") var theme: String?
  @Flag(help: "Only histories in which devices are copied or restored from backups.")
  var copies = false

  @Flag(help: "Runs each twice, once with rules that look at each record: all stores must be equal byte for byte.")
  var ways = false

  @Option(help: "How many histories run at a time; by default one a processor.") var jobs: Int?
  @Flag(help: "Goes on after a violation, and names all seeds that violate.") var all = false

  @Flag(help: "Prints the history of --seed as a scenario file, with what the oracle expects.") var scenario = false

  func validate() throws {
    if histories < 0 { throw ValidationError("--histories is 0 or more") }
    if let seconds, seconds < 1 { throw ValidationError("--seconds is 1 or more") }
    if let jobs, !(1...256).contains(jobs) { throw ValidationError("--jobs is between 1 and 256") }
    if let mutant, RuleMutation(rawValue: mutant) == nil {
      let known = RuleMutation.allCases.map(\.rawValue).joined(separator: ", ")
      throw ValidationError("there is no mutant \"\(mutant)\"; known: \(known)")
    }
    if ways, mutant != nil {
      throw ValidationError("--ways says nothing with --mutant, under which rules look at each record anyway")
    }
    if let theme, !Campaign.themes.contains(theme) {
      throw ValidationError("there is no theme \"\(theme)\"; known: \(Campaign.themes.joined(separator: ", "))")
    }
  }

  func run() async throws {
    if scenario {
      let history = HistoryGenerator.history(seed: seed, theme: theme, isOfCopies: copies)
      print(history.scenarioText(of: try await HistoryTrial().run(history)), terminator: "")
      return
    }
    var campaign = Campaign()
    campaign.firstSeed = seed
    campaign.histories = histories == 0 ? .max : histories
    campaign.deadline = seconds.map { .now + .seconds($0) }
    campaign.jobs = jobs ?? ProcessInfo.processInfo.activeProcessorCount
    campaign.trial = HistoryTrial(mutation: mutant.flatMap(RuleMutation.init), comparesWays: ways)
    campaign.theme = theme
    campaign.isOfCopies = copies
    campaign.stopsAtFirst = !all
    let progress = ProgressLine()
    campaign.progress = { progress.show($0) }
    let ready = campaign
    let summary = try await Interruptible.run { try await ready.run() }
    progress.end()
    print(summary.text)
    guard !summary.violations.isEmpty else { return }
    for (seed, violation) in summary.violations.dropFirst() { print("seed \(seed) violates \(violation)") }
    let seed = summary.violations[0].seed
    print("seed \(seed) violates, made as small as it gets:")
    print(try await ready.explain(seed), terminator: "")
    print("again: \(ready.command(for: seed))")
    throw ExitCode(1)
  }
}

/// Runs a task that the first Ctrl-C cancels.
enum Interruptible {
  static func run<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
    let task = Task { try await body() }
    signal(SIGINT, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: SIGINT)
    source.setEventHandler { task.cancel() }
    source.resume()
    defer {
      source.cancel()
      signal(SIGINT, SIG_DFL)
    }
    return try await task.value
  }
}

/// A line on the terminal that is written over; elsewhere a plain line now and then.
final class ProgressLine: Sendable {
  private let isTerminal = isatty(STDERR_FILENO) != 0
  private let next = Mutex(ContinuousClock.now)

  func show(_ summary: CampaignSummary) {
    let now = ContinuousClock.now
    let isDue = next.withLock { next in
      guard now >= next else { return false }
      next = now + .milliseconds(isTerminal ? 200 : 10_000)
      return true
    }
    guard isDue else { return }
    let line = "\(summary.histories) histories, \(summary.violations.count) violations"
    write(isTerminal ? "\r\u{1B}[K\(line)" : "\(line)\n")
  }

  /// Leaves nothing of the line behind.
  func end() {
    if isTerminal { write("\r\u{1B}[K") }
  }

  private func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}
