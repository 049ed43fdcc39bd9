import Foundation

/// Carries out one fault, and looks at what it has left.
struct FaultRun {
  struct Findings: Error {
    var sentences: [String]
    var kind: Kind
  }
  enum Kind: String, CaseIterable { case lost, crashed, hung, untrue }

  /// Longer than anything that works takes, on a machine that is busy.
  static let limitSeconds = 20.0

  let point: FaultPoint
  let seed: UInt64
  let library: CallsLibrary

  /// How often the fault was met, and how many calls of each class there were.
  struct Met {
    var times = 0
    var counts: [String: Int] = [:]
  }

  /// What a process has said of one writer's saves.
  struct Saves {
    var begun: [Int64: Int64] = [:]
    var saved: [Int64: Int64] = [:]

    /// Takes a line if it is of a save.
    mutating func take(_ line: String) -> Bool {
      let words = line.split(separator: " ")
      guard words.count == 3, let writer = Int64(words[1]), let save = Int64(words[2]) else { return false }
      switch words[0] {
      case "begun": begun[writer] = save
      case "saved": saved[writer] = save
      default: return false
      }
      return true
    }
  }

  /// Throws ``Findings``.
  func run(_ auditor: AuditorProcess) throws -> Met {
    try Workplace.current.withFolder("fault") { folder in
      let place = folder.appendingPathComponent("place")
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
      let report = folder.appendingPathComponent("report").path
      let log = folder.appendingPathComponent("log")
      let saves = try play(place, report: report, log: log.path)
      let met = try Self.read(report)
      try look(at: place, saves, auditor)
      if met.times > 0, losesPages {
        let image = folder.appendingPathComponent("image")
        try FileManager.default.createDirectory(at: image, withIntermediateDirectories: false)
        var disk = Disk(log: try CallLog(contentsOf: log), seed: seed)
        disk.advance(to: .max)
        try disk.remounted().write(to: image)
        try look(at: image, saves, auditor, after: "after a remount ")
      }
      return met
    }
  }

  /// A flush that fails says once that pages did not reach the device, and the system lets go of them.
  private var losesPages: Bool { point.kind == .flush || point.how == "after" }

  private func play(_ place: URL, report: String, log: String) throws -> Saves {
    let environment = library.environment(
      folder: place, ["CAMPAIGN_FAULT": point.fault, "CAMPAIGN_REPORT": report, "CAMPAIGN_LOG": log])
    let worker = try Child(Command.work("step", place, seed, point.step.rawValue), environment: environment)
    var saves = Saves()
    var other: Child?
    while let line = try next(of: worker) {
      if saves.take(line) { continue }
      if line == "prepared", point.isBeside {
        // It waits for nobody: the step goes on while this one starts, and then beside it. An export that is never
        // ahead of it would not end.
        other = try Child(
          Command.work("write", place, seed, "3", "40"),
          environment: library.environment(folder: place, ["CAMPAIGN_LOG": log]))
      }
      try judge(line)
    }
    try end(worker)
    if let other { try finish(other, &saves) }
    return saves
  }

  private func next(of worker: Child) throws -> String? {
    do {
      return try worker.line(within: Self.limitSeconds)
    } catch is Child.Hung {
      throw Findings(sentences: ["nothing happens any more"], kind: .hung)
    }
  }

  private func judge(_ line: String) throws {
    let words = line.split(separator: " ", maxSplits: 3).map(String.init)
    guard words.count > 1 else { return }
    if words[0] == "failed" { throw Findings(sentences: ["the process \(line)"], kind: .untrue) }
    guard words[0] == "refused" || words[0] == "later" else { return }
    let message = words.count > 3 ? words[3] : ""
    guard words.count > 2, words[1] == "store" || words[1] == "sync" else {
      throw Findings(sentences: ["not a typed error: \(line)"], kind: .untrue)
    }
    if words[0] == "refused", !point.allows(words[2], message) {
      throw Findings(sentences: ["what it says is not true: \(words[2]), \(message)"], kind: .untrue)
    }
  }

  private func end(_ worker: Child) throws {
    do {
      let end = try worker.finish(within: Self.limitSeconds)
      guard end == .exit(0) else {
        throw Findings(sentences: ["ended with \(end): \(worker.trouble)"], kind: .crashed)
      }
    } catch is Child.Hung {
      throw Findings(sentences: ["does not end"], kind: .hung)
    }
  }

  /// The neighbour may be refused with a typed error as well, for the device is its own, too.
  private func finish(_ other: Child, _ saves: inout Saves) throws {
    do {
      other.closeInput()
      for line in try other.lines(within: Self.limitSeconds) where !saves.take(line) {
        guard line.hasPrefix("failed ") else { continue }
        let words = line.split(separator: " ")
        guard words.count > 2, words[1] == "store", ["inputOutput", "busy"].contains(words[2]) else {
          throw Findings(sentences: ["the process beside it \(line)"], kind: .untrue)
        }
      }
      guard case .exit = try other.finish(within: Self.limitSeconds) else {
        throw Findings(sentences: ["the process beside it crashed: \(other.trouble)"], kind: .crashed)
      }
    } catch is Child.Hung {
      throw Findings(sentences: ["the process beside it hangs"], kind: .hung)
    }
  }

  private func look(at place: URL, _ saves: Saves, _ auditor: AuditorProcess, after: String = "") throws {
    var whats = ["store"]
    if [.export, .import, .sync, .compact].contains(point.step) { whats.append("exchange") }
    if point.step == .copy { whats.append("copy") }
    if point.step == .backup { whats.append("backup") }
    for what in whats {
      let answer = try auditor.ask(place, seed, what)
      if let wrong = answer.wrong { throw Findings(sentences: [after + wrong], kind: .lost) }
      guard what == "store" || what == "exchange" else { continue }
      for (writer, save) in saves.saved where (answer.saves[writer] ?? 0) < save && isOfFirst(writer, what) {
        throw Findings(
          sentences: ["\(after)save \(save) of writer \(writer) was acknowledged and is lost: \(answer.line)"],
          kind: .lost)
      }
      for (writer, save) in answer.saves where what == "store" && save > (saves.begun[writer] ?? 0) {
        throw Findings(sentences: ["\(after)save \(save) of writer \(writer) was never begun"], kind: .lost)
      }
    }
  }

  /// The second device's saves reach the first store with an exchange.
  private func isOfFirst(_ writer: Int64, _ what: String) -> Bool { writer != 2 || what == "exchange" }

  private static func read(_ report: String) throws -> Met {
    var met = Met()
    guard let data = FileManager.default.contents(atPath: report) else { return met }
    for line in String(decoding: data, as: UTF8.self).split(separator: "\n") {
      let words = line.split(separator: " ")
      if words.count == 3, words[0] == "count" {
        met.counts[String(words[1])] = Int(words[2])
      } else {
        met.times += 1
      }
    }
    return met
  }
}
