import Foundation
import RecordStore
import Synchronization

/// Cuts the power at random places of runs of saves and exports, and looks at every folder that is left.
struct PowerCutCampaign: Sendable {
  var seed: UInt64
  var images: Int
  var saves = 60
  var jobs: Int
  /// One image alone, as a finding names it.
  var only: Int?
  var durabilities = ["full", "relaxed"]
  /// How many images of a whole block device.
  var devices = 0

  /// Of one run; another run follows.
  private static let imagesPerRun = 2000
  private static let limitSeconds = 120.0

  /// A defect that must be found.
  private struct Control {
    var name: String
    var durability = "full"
    var environment: [String: String] = [:]
  }

  private static let controls = [
    Control(name: "no flush in the writer of change sets", environment: ["CAMPAIGN_FORGET": ".partial"]),
    Control(name: "commits that wait for no flush", durability: "unsafe"),
    Control(name: "no flush of the data file", environment: ["CAMPAIGN_FORGET": "data.mdb"]),
  ]

  func run() throws -> Tally {
    let library = try CallsLibrary()
    let state = Mutex(Tally(name: "power-cut", unit: "images", kinds: ["bad"]))
    let lost = Mutex(0)
    let progress = Progress()
    let runs = only == nil ? max(durabilities.count, (images + Self.imagesPerRun - 1) / Self.imagesPerRun) : 1
    let each = (images + runs - 1) / runs
    try Crew.run(0..<runs, jobs: jobs) { run in
      let durability = durabilities[run % durabilities.count]
      let seed = self.seed &+ UInt64(run)
      try look(library, durability, seed, [:], only.map { $0..<$0 + 1 } ?? 0..<min(each, images - run * each)) { line in
        if line.hasPrefix("bad ") {
          let again = "--durability \(durability) --seed \(seed)"
          state.withLock { $0.add("bad", "\(line.dropFirst(4)) (\(again) --image \(Self.number(line)))") }
        } else if line.hasSuffix(" 1") {
          lost.withLock { $0 += 1 }
        }
        state.withLock { $0.count += 1 }
        progress.show("\(state.withLock { "\($0.count) images; \($0.summary)" })")
        return true
      }
    }
    if only == nil {
      if devices > 0 { try cutDevices(library, state) }
      try runControls(library, state)
    }
    return state.withLock { tally in
      tally.figures.insert("\(Tally.grouped(lost.withLock { $0 })) with lost writes", at: 0)
      return tally
    }
  }

  private func cutDevices(_ library: CallsLibrary, _ state: borrowing Mutex<Tally>) throws {
    let progress = Progress()
    var done = 0
    do {
      try BlockPowerCut(seed: seed, images: devices, saves: saves, library: library).run { number, wrong in
        done += 1
        if let wrong { state.withLock { $0.add("bad", "image \(number) of a block device, seed \(seed): \(wrong)") } }
        progress.show("\(done) images of a block device")
      }
      state.withLock { $0.figures.append("\(Tally.grouped(done)) of a block device with ext4") }
    } catch let skip as EnvironmentCase.Skip {
      Progress.say("skipped: a block device with ext4: \(skip.reason)")
      state.withLock { $0.figures.append("none of a block device, which this machine does not allow") }
    }
  }

  private static func number(_ line: String) -> String {
    line.split(separator: " ").dropFirst().first.map(String.init) ?? "?"
  }

  private func runControls(_ library: CallsLibrary, _ state: borrowing Mutex<Tally>) throws {
    var caught = 0
    for control in Self.controls {
      var found: String?
      try look(library, control.durability, seed, control.environment, 0..<600) { line in
        if line.hasPrefix("bad ") { found = line }
        return found == nil
      }
      if let found {
        caught += 1
        Progress.say("planted: \(control.name): found as it must be: \(found)")
      } else {
        state.withLock { $0.add("bad", "a planted defect was not found: \(control.name)") }
      }
    }
    state.withLock { $0.figures.append("\(caught) of \(Self.controls.count) planted defects found") }
  }

  /// One run and its images. `each` gets a line for each image, and false ends it.
  private func look(
    _ library: CallsLibrary, _ durability: String, _ seed: UInt64, _ environment: [String: String],
    _ numbers: Range<Int>, _ each: (String) -> Bool
  ) throws {
    guard !numbers.isEmpty else { return }
    try Workplace.current.withFolder("power-cut") { folder in
      let place = folder.appendingPathComponent("place")
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
      let log = folder.appendingPathComponent("log").path
      let variables = library.environment(folder: place, environment.merging(["CAMPAIGN_LOG": log]) { $1 })
      let work = try Child(Command.work("power-cut", place, seed, "\(saves)", durability), environment: variables)
      let said = try work.lines(within: Self.limitSeconds)
      guard try work.finish() == .exit(0) else {
        throw Trouble("the run itself failed: \(said.last ?? "") \(work.complaint)")
      }
      try read(place, log, durability, seed, numbers, each)
    }
  }

  private func read(
    _ place: URL, _ log: String, _ durability: String, _ seed: UInt64, _ numbers: Range<Int>, _ each: (String) -> Bool
  ) throws {
    var done = 0
    while done < numbers.count, !Workplace.current.isEnding {
      let reader = try Child(
        Command.work("images", place, seed, log, "\(numbers.lowerBound)", "\(numbers.count)", "\(done)", durability))
      var current: Int?
      guard let trouble = try follow(reader, &current, &done, each) else { return }
      guard let number = current else { throw Trouble("no image could be looked at: \(trouble)") }
      done += 1
      if !each("bad \(number) \(trouble)") { return }
    }
  }

  /// Nil when all were looked at, or enough; else what happened at the current image.
  private func follow(
    _ reader: Child, _ current: inout Int?, _ done: inout Int, _ each: (String) -> Bool
  ) throws -> String? {
    do {
      while let line = try reader.line(within: Self.limitSeconds) {
        let words = line.split(separator: " ", maxSplits: 2)
        guard words.count > 1, let number = Int(words[1]) else { throw Trouble("an image process said: \(line)") }
        current = number
        guard words[0] != "image" else { continue }
        done += 1
        if !each(line) { return nil }
      }
    } catch is Child.Hung {
      reader.kill()
      return "the process that looks at it hangs"
    }
    let end = try reader.finish()
    return end == .exit(0) ? nil : "the process that looks at it ended with \(end): \(reader.trouble)"
  }
}
