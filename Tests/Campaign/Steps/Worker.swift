import Foundation
import HelperProcess
import RecordStore
import RecordSync

/// A process that a campaign starts, by the words after `work`. It says on standard output how far it has come.
enum Worker {
  static func run(_ words: [String]) -> Never {
    do {
      try perform(words)
      exit(0)
    } catch {
      Voice.say("failed \(Voice.describe(error))")
      exit(3)
    }
  }

  private static func perform(_ words: [String]) throws {
    guard words.count >= 3, let seed = UInt64(words[2]) else { throw Trouble("work <what> <folder> <seed> …") }
    var site = Site(words[1], seed: seed)
    let rest = Array(words.dropFirst(3))
    if let durability = rest.compactMap(Self.durability).first { site.durability = durability }
    site.hasSmallMap = rest.contains("small-map")
    site.isPatient = rest.contains("patient")
    switch words[0] {
    case "step": try once(try step(rest), site)
    case "repeat": try again(try step(rest), site)
    case "write": try write(site, writer: number(rest, 0) ?? 1, limit: number(rest, 1) ?? .max)
    case "save-on-request": try saveOnRequest(site, writer: number(rest, 0) ?? 1)
    case "read": try SoakWork.read(site)
    case "exchange": try SoakWork.exchange(site)
    case "crowd": try SoakWork.crowd(site)
    case "fill": try EnvironmentWork.fill(site, limit: number(rest, 0) ?? 1)
    case "look": try EnvironmentWork.look(site)
    case "make": try EnvironmentWork.make(site)
    case "hold": try EnvironmentWork.hold(site)
    case "fork": try EnvironmentWork.forkAndUse(site)
    case "start": try EnvironmentWork.startAnother(site)
    case "jump": try EnvironmentWork.jump(site)
    case "meet": try EnvironmentWork.meet(site, by: rest.first ?? "")
    case "audit": Auditor.serve()
    case "power-cut": try PowerCutWork.run(site, saves: number(rest, 0) ?? 100)
    case "images": try PowerCutImages.serve(site, rest)
    default: throw Trouble("there is no work \(words[0])")
    }
  }

  private static func number(_ words: [String], _ place: Int) -> Int64? {
    words.indices.contains(place) ? Int64(words[place]) : nil
  }

  private static func durability(_ word: String) -> StoreConfiguration.Durability? {
    switch word {
    case "full": .full
    case "relaxed": .relaxed
    case "unsafe": .unsafeNoFlush
    default: nil
    }
  }

  private static func step(_ words: [String]) throws -> Step {
    guard let step = words.first.flatMap(Step.init) else { throw Trouble("there is no such step") }
    return step
  }

  /// A step once, with calls that count; then a save by the same process, when nothing fails any more.
  private static func once(_ step: Step, _ site: Site) throws {
    var ledger = try step.prepare(site)
    Voice.say("prepared")
    Voice.mark("arm")
    do {
      ledger = try step.act(site, ledger.take())
      Voice.mark("disarm")
      Voice.say("done")
    } catch {
      Voice.mark("disarm")
      Voice.say("refused \(Voice.describe(error))")
    }
    do {
      try later(step, site, ledger)
    } catch {
      Voice.say("later \(Voice.describe(error))")
    }
    ledger = nil
    Voice.say("ended")
  }

  private static func later(_ step: Step, _ site: Site, _ open: Ledger?) throws {
    if step == .import {
      guard let open else { return }
      return try Voice.save((open.progress()[2] ?? 0) + 1, 2, open, site.seed, transfers: false)
    }
    let ledger = try open ?? site.open()
    try Voice.save((ledger.progress()[1] ?? 0) + 1, 1, ledger, site.seed)
  }

  /// A step again and again until the process is killed or its input ends.
  private static func again(_ step: Step, _ site: Site) throws {
    let end = InputEnd()
    Voice.say("working")
    try Repetition(step, site).run { end.isReached }
  }

  /// Saves until its input ends, but not more than so often.
  private static func write(_ site: Site, writer: Int64, limit: Int64) throws {
    let end = InputEnd()
    let ledger = try site.open()
    var save = (try ledger.progress()[writer] ?? 0) + 1
    Voice.say("working")
    var left = limit
    while !end.isReached, left > 0 {
      try Voice.save(save, writer, ledger, site.seed)
      save += 1
      left -= 1
    }
  }

  private static func saveOnRequest(_ site: Site, writer: Int64) throws {
    let ledger = try site.open()
    Voice.say("working")
    while let word = readLine(), let save = Int64(word) { try Voice.save(save, writer, ledger, site.seed) }
  }
}
