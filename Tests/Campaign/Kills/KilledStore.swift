import Foundation
import RecordStore

/// One store whose processes are killed, round after round, and what it must hold.
struct KilledStore {
  struct Found: Error {
    var kind: KillCampaign.Kind
    var sentence: String
  }

  let folder: URL
  let seed: UInt64
  let library: CallsLibrary
  private var random: SplitMix
  private var saves = FaultRun.Saves()
  private let auditor = AuditorProcess()
  /// What was killed, and how.
  private(set) var moment = ""

  private static let limitSeconds = 30.0
  /// The process that goes on, and those beside others.
  private static let next: Int64 = 9
  private static let neighbour: Int64 = 3

  init(folder: URL, seed: UInt64, library: CallsLibrary) {
    (self.folder, self.seed, self.library) = (folder, seed, library)
    random = SplitMix(state: seed)
  }

  private func start(_ words: String...) throws -> Child {
    try Child(
      Command.work(words[0], folder, seed) + words.dropFirst(), environment: library.environment(folder: folder))
  }

  mutating func begin() throws {
    let site = Site(folder.path, seed: seed)
    if seed % 2 == 1 { try Data().write(to: site.scans) }
    _ = try site.create()
  }

  /// Kills one process, or two, and returns how long the next took to its first save.
  mutating func kill() throws -> Double {
    let step = Step.allCases.randomElement(using: &random) ?? .save
    let other = [nil, "fetch", "save"].randomElement(using: &random) ?? nil
    let killsBoth = Bool.random(using: &random)
    let isEarly = Int.random(in: 0..<6, using: &random) == 0
    moment =
      "\(step.rawValue)\(other.map { " beside \($0)" } ?? "")\(killsBoth ? ", both" : "")\(isEarly ? ", early" : "")"
    let victim = try start("repeat", step.rawValue)
    let neighbour = try other.map { try $0 == "save" ? start("write", "\(Self.neighbour)") : start("repeat", $0) }
    if !isEarly { try waitForWork(victim) }
    if let neighbour { try waitForWork(neighbour) }
    usleep(UInt32.random(in: 0...25_000, using: &random))
    victim.kill()
    if killsBoth { neighbour?.kill() }
    let time = try goOn()
    try read(victim)
    if let neighbour { try conclude(neighbour, wasKilled: killsBoth) }
    try audit(step)
    return time
  }

  /// Stops a process for a while. Others go on, or are told whom they wait for.
  mutating func stop(seconds: Double) throws -> Double {
    let step = [Step.save, .fetch, .export, .copy].randomElement(using: &random) ?? .save
    moment = "\(step.rawValue) stopped"
    let victim = try start("repeat", step.rawValue)
    try waitForWork(victim)
    usleep(UInt32.random(in: 0...25_000, using: &random))
    victim.signal(SIGSTOP)
    let begin = ContinuousClock.now
    while ContinuousClock.now - begin < .seconds(seconds), !Workplace.current.isEnding { try saveBeside() }
    victim.signal(SIGCONT)
    let time = try goOn()
    try conclude(victim, wasKilled: false)
    try audit(step)
    return time
  }

  /// Saves by another process, until one is refused because of the stopped one, or enough.
  private mutating func saveBeside() throws {
    let other = try start("write", "\(Self.neighbour)", "200")
    for line in try lines(of: other) where !saves.take(line) && line.hasPrefix("failed ") {
      guard line.hasPrefix("failed store busy "), line.contains("process ") else {
        throw Found(kind: .lost, sentence: "beside a stopped process, a save \(line)")
      }
    }
  }

  private func lines(of process: Child) throws -> [String] {
    do {
      return try process.lines(within: Self.limitSeconds)
    } catch is Child.Hung {
      throw Found(kind: .hung, sentence: "a process does not go on")
    }
  }

  private mutating func waitForWork(_ process: Child) throws {
    do {
      while let line = try process.line(within: Self.limitSeconds) {
        if line == "working" { return }
        if !saves.take(line) { throw Found(kind: .lost, sentence: "a process \(line)") }
      }
    } catch is Child.Hung {
      throw Found(kind: .hung, sentence: "a process does not begin")
    }
    throw Found(kind: .crashed, sentence: "a process ended before it began: \(process.trouble)")
  }

  /// A new process opens the store and saves once.
  private mutating func goOn() throws -> Double {
    let begin = ContinuousClock.now
    let process = try start("write", "\(Self.next)", "1")
    var time = 0.0
    do {
      while let line = try process.line(within: Self.limitSeconds) {
        if line.hasPrefix("saved"), time == 0 { time = (ContinuousClock.now - begin) / .seconds(1) }
        if !saves.take(line), line != "working" { throw Found(kind: .lost, sentence: "the next process \(line)") }
      }
      guard try process.finish() == .exit(0), time > 0 else {
        throw Found(kind: .crashed, sentence: "the next process: \(process.trouble)")
      }
    } catch is Child.Hung {
      throw Found(kind: .hung, sentence: "the next process does not go on")
    }
    return time
  }

  /// What a process had said before it was killed was acknowledged.
  private mutating func read(_ process: Child) throws {
    for line in try lines(of: process) where !saves.take(line) && line != "working" {
      throw Found(kind: .lost, sentence: "a process \(line)")
    }
  }

  private mutating func conclude(_ process: Child, wasKilled: Bool) throws {
    process.closeInput()
    try read(process)
    guard !wasKilled else { return }
    let end = try process.finish()
    guard end == .exit(0) else { throw Found(kind: .crashed, sentence: "it ended with \(end): \(process.trouble)") }
  }

  private mutating func audit(_ step: Step) throws {
    var whats = ["store"]
    if [.export, .import, .sync, .compact].contains(step) { whats.append("exchange") }
    for what in whats {
      let answer = try auditor.ask(folder, seed, what)
      if let wrong = answer.wrong { throw Found(kind: .lost, sentence: wrong) }
      for (writer, save) in saves.saved where (answer.saves[writer] ?? 0) < save {
        throw Found(
          kind: .lost, sentence: "save \(save) of writer \(writer) was acknowledged and is lost: \(answer.line)")
      }
      for (writer, save) in answer.saves where save > (saves.begun[writer] ?? 0) {
        throw Found(kind: .lost, sentence: "save \(save) of writer \(writer) was never begun")
      }
      guard what == "store" else { continue }
      // The auditor has saved once more.
      saves.begun[1] = (answer.saves[1] ?? 0) + 1
      saves.saved[1] = saves.begun[1]
    }
  }
}
