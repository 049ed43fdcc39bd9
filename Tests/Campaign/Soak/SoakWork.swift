import Foundation
import HelperProcess
import RecordStore
import RecordSync
import Synchronization

/// What the processes of a soak do beside saving.
enum SoakWork {
  /// Snapshot after snapshot, now and then one that stays open for long.
  static func read(_ site: Site) throws {
    let end = InputEnd()
    let ledger = try site.open()
    var seen = 0
    Voice.say("working")
    while !end.isReached {
      let isLong = seen % 64 == 63
      try ledger.store.read { snapshot throws in
        _ = try Ledger.sum(in: snapshot)
        guard isLong else { return }
        usleep(UInt32.random(in: 100_000...1_500_000))
        // The same snapshot, although others have saved since.
        _ = try Ledger.sum(in: snapshot)
      }
      seen += 1
      if seen % 16 == 0 { Voice.say("seen 16") }
    }
  }

  /// Exchanges with a second device, forgets what both have, again and again.
  static func exchange(_ site: Site) throws {
    let end = InputEnd()
    let ledger = try site.open()
    let engine = site.engine(ledger)
    let other = try site.createOther(at: site.second)
    let second = site.engine(other, family: ledger.store.storeID)
    Voice.say("working")
    while !end.isReached {
      let report = try wait { try await engine.sync() }
      if let refusal = report.refused.first { throw Finding("\(refusal.file) was refused: \(refusal.reason)") }
      _ = try wait { try await second.sync() }
      Voice.say("exchanged")
    }
  }

  /// More snapshots at a time than there are slots.
  static func crowd(_ site: Site, readers: Int = 560) throws {
    let ledger = try site.open()
    let opened = Atomic(0)
    let refused = Atomic(0)
    let wrong = Mutex<String?>(nil)
    let group = DispatchGroup()
    for _ in 0..<readers {
      group.enter()
      let thread = Thread {
        defer { group.leave() }
        do {
          try ledger.store.read { _ in
            opened.add(1, ordering: .relaxed)
            // Until all have tried. Those that wait for a larger map cannot, as long as these read.
            let limit = ContinuousClock.now + .seconds(1)
            while opened.load(ordering: .relaxed) + refused.load(ordering: .relaxed) < readers, .now < limit {
              usleep(1_000)
            }
          }
        } catch {
          refused.add(1, ordering: .relaxed)
          if (error as? StoreError)?.code != .readersFull { wrong.withLock { $0 = Voice.describe(error) } }
        }
      }
      thread.stackSize = 1 << 18
      thread.start()
    }
    group.wait()
    if let wrong = wrong.withLock({ $0 }) { throw Finding("one of too many readers: \(wrong)") }
    _ = try ledger.checkSum()
    Voice.say("crowded \(opened.load(ordering: .relaxed)) \(refused.load(ordering: .relaxed))")
  }
}
