import Foundation
import RecordStore

/// The processes of a soak, and what the store must hold.
struct SoakCrew {
  struct Found: Error {
    var kind: SoakCampaign.Kind
    var sentence: String
  }

  private let folder: URL
  private let seed: UInt64
  private let library: CallsLibrary
  private var random: SplitMix
  private var crew: [Member] = []
  private var saves = FaultRun.Saves()
  private(set) var acknowledged = 0
  private var snapshots = 0
  private var kills = 0
  private var stops = 0
  private var crowds = 0
  private var largest = 0
  private let began = ContinuousClock.now
  /// Saves in each second.
  private var rate: [Int] = []

  /// One that lives on in its next process.
  private struct Member {
    var words: [String]
    var process: Child
    var stopped: ContinuousClock.Instant?
    var heard = ContinuousClock.now
    /// Whether a crowd had taken all slots when it began to read. It is told so, ends, and begins again.
    var isCrowdedOut = false
  }

  private static let crowdedOut = "failed store readersFull "

  private static let limitSeconds = 60.0
  /// For what must be done with all that was saved: one exchange of everything, one audit.
  private static let conclusionSeconds = 600.0
  /// The records, and their history until others have it.
  private static let standingBytes = 32 << 20
  /// More pages than a save writes.
  private static let savedBytes = 20 << 12
  /// A long reader that is stopped keeps what is replaced meanwhile: 1.5 s of each, and the time to notice.
  private static let longestSnapshotSeconds = 4

  init(folder: URL, seed: UInt64, library: CallsLibrary) {
    (self.folder, self.seed, self.library) = (folder, seed, library)
    random = SplitMix(state: seed)
  }

  private func start(_ words: [String]) throws -> Child {
    try Child(
      Command.work(words[0], folder, seed) + words.dropFirst() + ["small-map", "patient"],
      environment: library.environment(folder: folder))
  }

  mutating func begin(_ roles: [[String]]) throws {
    var site = Site(folder.path, seed: seed)
    site.hasSmallMap = true
    _ = try site.create()
    crew = try roles.map { Member(words: $0, process: try start($0)) }
  }

  mutating func work(for seconds: Double) throws {
    let end = ContinuousClock.now + .seconds(seconds)
    let progress = Progress()
    while ContinuousClock.now < end, !Workplace.current.isEnding {
      let pause = ContinuousClock.now + .milliseconds(Int.random(in: 20...300, using: &random))
      while ContinuousClock.now < pause { try hear() }
      try disturb()
      largest = max(largest, try size())
      progress.show("\(acknowledged) saves, \(snapshots) snapshots, \(kills) kills, \(stops) stops")
    }
  }

  /// What all have said meanwhile.
  private mutating func hear() throws {
    for index in crew.indices {
      while let line = try crew[index].process.line(now: ()) {
        crew[index].heard = .now
        if line.hasPrefix(Self.crowdedOut) { crew[index].isCrowdedOut = true }
        try take(line)
      }
      if crew[index].process.hasEnded, crew[index].isCrowdedOut {
        crew[index] = Member(words: crew[index].words, process: try start(crew[index].words))
      }
      if crew[index].process.hasEnded {
        throw Found(kind: .crashed, sentence: "\(crew[index].words) ended: \(crew[index].process.trouble)")
      }
      if crew[index].stopped == nil, ContinuousClock.now - crew[index].heard > .seconds(Self.limitSeconds) {
        throw Found(kind: .hung, sentence: "\(crew[index].words) says nothing any more")
      }
    }
    usleep(2_000)
  }

  private mutating func take(_ line: String) throws {
    if saves.take(line) {
      if line.hasPrefix("saved") { count() }
    } else if line.hasPrefix("seen ") {
      snapshots += Int(line.dropFirst(5)) ?? 0
    } else if line.hasPrefix("failed "), !line.hasPrefix(Self.crowdedOut) {
      throw Found(kind: .lost, sentence: "a process \(line)")
    }
  }

  private mutating func count() {
    acknowledged += 1
    let second = Int((ContinuousClock.now - began).components.seconds)
    while rate.count <= second { rate.append(0) }
    rate[second] += 1
  }

  /// However long the soak lasts. Twice, for free pages are used again in the order of their commits.
  private var boundBytes: Int {
    let windows = rate.indices.map { rate[$0...].prefix(Self.longestSnapshotSeconds + 1).reduce(0, +) }
    return Self.standingBytes + 2 * Self.savedBytes * (windows.max() ?? 0)
  }

  /// Lets those go on that were stopped for long enough.
  private mutating func wake() {
    for index in crew.indices {
      if let since = crew[index].stopped, ContinuousClock.now - since > .milliseconds(1500) {
        crew[index].process.signal(SIGCONT)
        (crew[index].stopped, crew[index].heard) = (nil, .now)
      }
    }
  }

  private mutating func disturb() throws {
    wake()
    let index = Int.random(in: crew.indices, using: &random)
    switch Int.random(in: 0..<20, using: &random) {
    case 0..<10: try replace(index)
    case 10..<13 where crew.allSatisfy { $0.stopped == nil }:
      crew[index].process.signal(SIGSTOP)
      crew[index].stopped = .now
      stops += 1
    case 13: try crowd()
    default: break
    }
  }

  private mutating func replace(_ index: Int) throws {
    crew[index].process.kill()
    while let line = try crew[index].process.line() { try take(line) }
    let process = try start(crew[index].words)
    crew[index] = Member(words: crew[index].words, process: process)
    kills += 1
  }

  /// More readers than there are slots: some are refused, and the writers go on.
  private mutating func crowd() throws {
    let process = try start(["crowd"])
    var last = ""
    let limit = ContinuousClock.now + .seconds(Self.limitSeconds)
    while !process.hasEnded {
      while let line = try process.line(now: ()) { last = line }
      // A process that was stopped may hold the lock that the crowd waits for.
      wake()
      try hear()
      if ContinuousClock.now > limit {
        throw Found(kind: .hung, sentence: "too many readers: nothing happens any more")
      }
    }
    guard try process.finish() == .exit(0), last.hasPrefix("crowded") else {
      throw Found(kind: .crashed, sentence: "too many readers: \(last) \(process.trouble)")
    }
    crowds += 1
  }

  private func size() throws -> Int {
    let path = folder.appendingPathComponent("first.store/data.mdb").path
    return try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
  }

  mutating func conclude() throws {
    for index in crew.indices {
      crew[index].process.signal(SIGCONT)
      crew[index].process.closeInput()
    }
    for index in crew.indices {
      for line in try crew[index].process.lines(within: Self.conclusionSeconds) {
        if line.hasPrefix(Self.crowdedOut) { crew[index].isCrowdedOut = true }
        try take(line)
      }
      let end = try crew[index].process.finish()
      guard end == .exit(0) || crew[index].isCrowdedOut else {
        throw Found(kind: .crashed, sentence: "\(crew[index].words) ended with \(end): \(crew[index].process.trouble)")
      }
    }
    let auditor = AuditorProcess()
    let answer = try auditor.ask(folder, seed, "exchange", within: Self.conclusionSeconds)
    if let wrong = answer.wrong { throw Found(kind: .lost, sentence: wrong) }
    for (writer, save) in saves.saved where (answer.saves[writer] ?? 0) < save {
      throw Found(
        kind: .lost, sentence: "save \(save) of writer \(writer) was acknowledged and is lost: \(answer.line)")
    }
    if largest > boundBytes {
      throw Found(
        kind: .grown, sentence: "the file has grown to \(largest >> 20) MiB, beyond \(boundBytes >> 20) MiB")
    }
  }

  var figures: [String] {
    [
      "\(Tally.grouped(snapshots)) snapshots with the right sum", "\(kills) kills", "\(stops) stops",
      "\(crowds) crowds of readers", "the file at most \(largest >> 20) MiB",
    ]
  }
}
