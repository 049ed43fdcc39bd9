import Foundation
import RecordStore
import Synchronization

/// What a process does in surroundings that fail it.
enum EnvironmentWork {
  /// Saves until it is refused, or so often; then says with which code, and reads.
  static func fill(_ site: Site, limit: Int64) throws {
    let ledger = try site.open()
    var save = (try ledger.progress()[1] ?? 0) + 1
    do {
      for _ in 0..<limit {
        try Voice.save(save, 1, ledger, site.seed)
        save += 1
      }
      Voice.say("enough")
    } catch {
      Voice.say("refused \(Voice.describe(error))")
    }
    _ = try ledger.checkSum()
    Voice.say("read \(try ledger.progress()[1] ?? 0)")
  }

  /// Opens for reading, reads, then tries to save.
  static func look(_ site: Site) throws {
    let configuration = StoreConfiguration(url: site.first, isReadOnly: true)
    Voice.say("read \(try Ledger(configuration).progress()[1] ?? 0)")
    do {
      let ledger = try site.open()
      try Voice.save((try ledger.progress()[1] ?? 0) + 1, 1, ledger, site.seed)
      Voice.say("enough")
    } catch {
      Voice.say("refused \(Voice.describe(error))")
    }
  }

  /// Creates a store, or says why not.
  static func make(_ site: Site) throws {
    do {
      _ = try site.create()
      Voice.say("created")
    } catch {
      Voice.say("refused \(Voice.describe(error))")
    }
  }

  /// Keeps a snapshot until its input ends.
  static func hold(_ site: Site) throws {
    let ledger = try site.open()
    try ledger.store.read { snapshot throws in
      Voice.say("holding")
      while readLine() != nil {}
      _ = try Ledger.sum(in: snapshot)
    }
    Voice.say("held")
  }

  /// A child that is forked in the middle must not harm the parent's store, whatever becomes of itself.
  static func forkAndUse(_ site: Site) throws {
    let ledger = try site.open()
    try Voice.save((try ledger.progress()[1] ?? 0) + 1, 1, ledger, site.seed)
    let child = fork()
    if child == 0 {
      // It may not use it, and says so by a trap.
      do { _ = try ledger.checkSum() } catch { _exit(1) }
      _exit(0)
    }
    var status: Int32 = 0
    waitpid(child, &status, 0)
    Voice.say("child \(status & 0x7f == 0 ? "exit \(status >> 8)" : "signal \(status & 0x7f)")")
    try Voice.save((try ledger.progress()[1] ?? 0) + 1, 1, ledger, site.seed)
  }

  /// Another program that is started in the middle takes nothing of the store with it.
  static func startAnother(_ site: Site) throws {
    let ledger = try site.open()
    try Voice.save((try ledger.progress()[1] ?? 0) + 1, 1, ledger, site.seed)
    let child = try Child(
      Command.work("write", site.folder, site.seed, "3", "5"), environment: ["CAMPAIGN_PARENT": "\(getpid())"])
    for line in try child.lines(within: 60) { Voice.say(line) }
    guard try child.finish() == .exit(0) else { throw Finding("the other program: \(child.trouble)") }
    try Voice.save((try ledger.progress()[1] ?? 0) + 1, 1, ledger, site.seed)
  }

  /// Saves while the wall clock jumps by years, there and back.
  static func jump(_ site: Site) throws {
    let ledger = try site.open()
    let year = 31_557_600
    for seconds in [0, 20 * year, -20 * year, 1, -1, 0, 68 * year, -50 * year, 0] {
      setenv("CAMPAIGN_CLOCK", "\(seconds)", 1)
      try Voice.save((try ledger.progress()[1] ?? 0) + 1, 1, ledger, site.seed)
      _ = try ledger.checkSum()
    }
  }

  /// The same store by two paths in one process: both are one.
  static func meet(_ site: Site, by other: String) throws {
    let (ledger, second) = (try site.open(), try Ledger(at: other))
    for _ in 0..<3 {
      try Voice.save((try second.progress()[1] ?? 0) + 1, 1, ledger, site.seed)
      try Voice.save((try ledger.progress()[1] ?? 0) + 1, 1, second, site.seed)
    }
  }
}
