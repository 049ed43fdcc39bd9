import CoreMetrics
import RecordStore
import RecordSync
import Synchronization

/// Counts and times the events of each store, under the labels of ``Label``.
///
/// Each meter has the dimension `store`, the path of the directory.
final class StoreMetrics: Sendable {
  /// The names under which a metrics backend finds the figures.
  enum Label {
    static let openings = "tandem_openings_total"
    static let openingSeconds = "tandem_opening_seconds"
    static let recoveries = "tandem_recoveries_total"
    static let migrations = "tandem_migrations_total"
    static let saves = "tandem_saves_total"
    static let commitSeconds = "tandem_commit_seconds"
    static let refusals = "tandem_refusals_total"
    static let readers = "tandem_readers"
    static let mapBytes = "tandem_map_bytes"
    static let usedBytes = "tandem_used_bytes"
    static let exported = "tandem_sync_exported_total"
    static let merged = "tandem_sync_merged_total"
    static let conflicts = "tandem_sync_conflicts_total"
    static let syncRefusals = "tandem_sync_refusals_total"
    static let lag = "tandem_sync_lag"
  }

  private struct Key: Hashable {
    var label: String
    var dimensions: [[String]]
  }

  private struct Meters {
    var counters: [Key: Counter] = [:]
    var gauges: [Key: Gauge] = [:]
    var timers: [Key: Timer] = [:]
  }

  private let factory: any MetricsFactory
  /// Made once each, as a backend may look for one under a lock.
  private let meters = Mutex(Meters())

  init(_ factory: any MetricsFactory) { self.factory = factory }

  func count(_ event: StoreEvent) {
    switch event {
    case .created: break
    case .opened(let store, let seconds):
      add(1, Label.openings, store)
      time(seconds, Label.openingSeconds, store)
    case .recovered(let store, _): add(1, Label.recoveries, store)
    case .migrated(let store, _, _, _): add(1, Label.migrations, store)
    case .saved(let store, let commit):
      add(commit.saves, Label.saves, store)
      time(commit.seconds, Label.commitSeconds, store)
      if let gauge = commit.gauge { show(gauge, of: store) }
    case .refused(let store, let activity, let code):
      add(1, Label.refusals, store, ("activity", activity.rawValue), ("code", code.description))
    }
  }

  func count(_ event: SyncEvent, of store: String) {
    switch event {
    case .began, .exported, .copied, .stopped: break
    case .merged(let replica, let number, let last):
      set(last > number ? last - number : 0, Label.lag, store, ("replica", "\(replica)"))
    case .refused: add(1, Label.syncRefusals, store)
    case .ended(_, let report):
      add(report.transactionsExported, Label.exported, store)
      add(report.transactionsMerged, Label.merged, store)
      add(report.conflicts, Label.conflicts, store)
    }
  }

  private func show(_ gauge: StoreGauge, of store: String) {
    set(UInt64(gauge.readers), Label.readers, store)
    set(UInt64(gauge.mapBytes), Label.mapBytes, store)
    set(UInt64(gauge.usedBytes), Label.usedBytes, store)
  }

  private func add(_ amount: Int, _ label: String, _ store: String, _ others: (String, String)...) {
    guard amount > 0 else { return }
    meter(\.counters, label, store, others) { Counter(label: $0, dimensions: $1, factory: factory) }
      .increment(by: amount)
  }

  private func set(_ value: UInt64, _ label: String, _ store: String, _ others: (String, String)...) {
    meter(\.gauges, label, store, others) { Gauge(label: $0, dimensions: $1, factory: factory) }.record(value)
  }

  private func time(_ seconds: Double, _ label: String, _ store: String, _ others: (String, String)...) {
    meter(\.timers, label, store, others) { Timer(label: $0, dimensions: $1, factory: factory) }
      .recordNanoseconds(Int64(seconds * 1_000_000_000))
  }

  private func meter<Meter: Sendable>(
    _ kind: WritableKeyPath<Meters, [Key: Meter]>, _ label: String, _ store: String, _ others: [(String, String)],
    making make: (String, [(String, String)]) -> Meter
  ) -> Meter {
    let dimensions = [("store", store)] + others
    let key = Key(label: label, dimensions: dimensions.map { [$0.0, $0.1] })
    return meters.withLock { meters in
      if let known = meters[keyPath: kind][key] { return known }
      let made = make(label, dimensions)
      meters[keyPath: kind][key] = made
      return made
    }
  }
}
