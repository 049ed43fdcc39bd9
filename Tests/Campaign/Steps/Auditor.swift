import Foundation
import RecordStore
import RecordSync

/// A process that looks at what another one has left. It answers a line for each line that it hears:
/// `<folder> <seed> <what>` with the saves of each writer, `none` where there is no store, or a finding.
enum Auditor {
  static func serve() {
    while let line = readLine() {
      let words = line.split(separator: " ").map(String.init)
      do {
        guard words.count >= 3, let seed = UInt64(words[1]) else { throw Trouble("not understood: \(line)") }
        Voice.say(try answer(Site(words[0], seed: seed), words[2]))
      } catch {
        Voice.say("wrong \(Voice.describe(error))")
      }
    }
  }

  private static func answer(_ site: Site, _ what: String) throws -> String {
    switch what {
    case "store": try store(site)
    case "exchange": try exchange(site)
    case "copy": try copy(site)
    case "backup": try backup(site)
    default: throw Trouble("an auditor does not know \(what)")
    }
  }

  /// The store is sound, is the model, and takes a save more. One that is migrated is taken as it is.
  static func store(_ site: Site) throws -> String {
    let ledger: Ledger
    do {
      ledger = try site.open()
    } catch let error as StoreError where error.code == .notFound {
      // Creating it must be possible.
      _ = try site.create()
      return "none"
    }
    let saves = try ledger.audit(seed: site.seed)
    try ledger.auditValues()
    // Unless the creation was cut off before the bank was there.
    try ledger.open()
    try ledger.save((saves[1] ?? 0) + 1, writer: 1, seed: site.seed)
    let later = try ledger.audit(seed: site.seed)
    guard later[1] == (saves[1] ?? 0) + 1 else { throw Finding("a new save was not kept") }
    return describe(saves)
  }

  private static func describe(_ saves: [Int64: Int64]) -> String {
    "saves " + saves.sorted { $0.key < $1.key }.map { "\($0.key):\($0.value)" }.joined(separator: " ")
  }

  /// After an export all that the first store has reaches a new one, and what the second has reaches the first.
  private static func exchange(_ site: Site) throws -> String {
    let first = try site.open()
    let family = first.store.storeID
    let engine = site.engine(first)
    let second = FileManager.default.fileExists(atPath: site.second.path) ? try site.createOther(at: site.second) : nil
    if let second {
      let other = site.engine(second, family: family)
      _ = try wait { try await other.sync() }
      _ = try second.audit(seed: site.seed)
      try second.auditValues()
    }
    let report = try wait { try await engine.sync() }
    if let refusal = report.refused.first { throw Finding("\(refusal.file) was refused: \(refusal.reason)") }
    let (expected, found) = (try first.audit(seed: site.seed), try newcomer(site, family))
    if found != expected { throw Finding("a new device has the saves \(found) of \(expected)") }
    return describe(expected)
  }

  private static func newcomer(_ site: Site, _ family: RecordID) throws -> [Int64: Int64] {
    let folder = site.folder.appendingPathComponent("newcomer")
    let found = Result {
      let store = try site.createOther(at: folder.appendingPathComponent("store"))
      let engine = site.engine(store, family: family)
      _ = try wait { try await engine.import() }
      try store.auditValues()
      return try store.audit(seed: site.seed)
    }
    try FileManager.default.removeItem(at: folder)
    return try found.get()
  }

  /// The step begins with a backup, and ends with a later one or the same: there is always one, and it is whole.
  static func backup(_ site: Site) throws -> String {
    let store = try Ledger(StoreConfiguration(url: site.backup, isReadOnly: true))
    return describe(try store.audit(seed: site.seed))
  }

  /// A copy is whole, or refused.
  private static func copy(_ site: Site) throws -> String {
    guard FileManager.default.fileExists(atPath: site.copy.path) else { return "none" }
    do {
      return describe(try site.open(site.copy).audit(seed: site.seed))
    } catch let error as StoreError where [.notFound, .notAStore].contains(error.code) {
      return "none"
    }
  }
}
