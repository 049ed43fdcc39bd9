import Foundation
import RecordStore
import RecordSync

/// A process that lays images of one run and looks at each: `<log> <first> <count> <done>`, without those that an
/// earlier process has done. It says `image <n>` before, and `good <n> <lost>` or `bad <n> <sentence>` after; if it
/// ends in between, the image has ended it.
enum PowerCutImages {
  static func serve(_ site: Site, _ words: [String]) throws {
    guard words.count >= 4, let first = Int(words[1]), let count = Int(words[2]), let done = Int(words[3]) else {
      throw Trouble("images <folder> <seed> <log> <first> <count> <done>")
    }
    let log = try CallLog(contentsOf: URL(fileURLWithPath: words[0]))
    var whole = Disk(log: log, seed: site.seed)
    whole.advance(to: .max)
    let owners = Dictionary(whole.remounted().files.map { ($0.path, $0.node) }) { $1 }
    var folder = try ImageFolder(site.folder, owners: owners)
    // In order of their places, so that the log is read once.
    let cuts = (first..<first + count).map { (place(of: $0, site.seed, log), $0) }.sorted { $0 < $1 }
    var disk = Disk(log: log, seed: site.seed)
    for (place, number) in cuts.dropFirst(done) {
      disk.advance(to: place)
      var here = disk
      here.reseed(UInt64(number) &* 0x9e37_79b9_7f4a_7c15 ^ site.seed)
      let (image, hasLost) = here.cut()
      Voice.say("image \(number)")
      try folder.lay(image)
      do {
        try look(at: site, here, withExchange: number % 16 == 0)
        Voice.say("good \(number) \(hasLost ? 1 : 0)")
      } catch {
        Voice.say("bad \(number) cut at entry \(place) of \(log.entries.count): \(Voice.describe(error))")
      }
    }
  }

  private static func place(of number: Int, _ seed: UInt64, _ log: CallLog) -> Int {
    var random = SplitMix(state: seed &+ UInt64(number) &* 0xff51_afd7_ed55_8ccd)
    return Int.random(in: 0...log.entries.count, using: &random)
  }

  private static func look(at site: Site, _ disk: Disk, withExchange: Bool) throws {
    let isPromised = disk.saved[1] != nil
    do {
      let ledger = try site.open()
      if withExchange, disk.begun[PowerCutWork.exports] != nil { try exchange(site, ledger, disk) }
    } catch let error as StoreError where error.code == .notFound && !isPromised {
      _ = try site.create()
      return
    }
    let line = try Auditor.store(site)
    for (writer, save) in disk.saved where writer != PowerCutWork.exports && site.durability == .full {
      let found = try Int64(part(of: line, writer)) ?? 0
      if found < save { throw Finding("save \(save) of writer \(writer) was acknowledged and is lost: \(line)") }
      // One more was saved by the look at the exchange.
      if found > (disk.begun[writer] ?? 0) { throw Finding("save \(found) of writer \(writer) was never begun") }
    }
  }

  private static func part(of line: String, _ writer: Int64) throws -> String {
    line.split(separator: " ").first { $0.hasPrefix("\(writer):") }.map { String($0.drop { $0 != ":" }.dropFirst()) }
      ?? "0"
  }

  /// What was exported is whole for others, and the store goes on to exchange with them.
  private static func exchange(_ site: Site, _ ledger: Ledger, _ disk: Disk) throws {
    let engine = site.engine(ledger)
    let family = ledger.store.storeID
    let other = try site.createOther(at: site.second)
    let second = site.engine(other, family: family)
    let report = try wait { try await second.import() }
    if let refusal = report.refused.first { throw Finding("\(refusal.file) was refused: \(refusal.reason)") }
    let exported = disk.saved[PowerCutWork.exports] ?? 0
    let found = try other.audit(seed: site.seed)[1] ?? 0
    if found < exported { throw Finding("save \(exported) was exported, others find \(found)") }
    _ = try wait { try await engine.sync() }
    _ = try wait { try await second.import() }
    let (mine, theirs) = (try ledger.audit(seed: site.seed), try other.audit(seed: site.seed))
    if mine != theirs { throw Finding("after an exchange one device has the saves \(mine), the other \(theirs)") }
  }
}
