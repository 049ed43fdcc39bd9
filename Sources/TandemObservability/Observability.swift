public import CoreMetrics
public import Logging
import RecordStore
import RecordSync

#if !Observability
  #error("TandemObservability is not there: enable the trait Observability of tandem, or give no list of traits.")
#endif

/// Passes the events of this process's stores and synchronisations on to swift-log and swift-metrics.
///
/// ```swift
/// let observability = Observability(logger: Logger(label: "app.stores"))
/// ```
///
/// An app that makes none pays for none: a store then asks one word for each save. With one, each event costs what the
/// log handler and the metrics factory take. They run on the thread that saves or synchronises, so one that blocks
/// holds it up.
///
/// Lines and labels name stores by the paths of their directories, and files of exchange folders. Values and ids of
/// records are in none of them.
///
/// It observes until ``end()`` is called or the last reference goes. Safe to use from any thread.
public final class Observability: Sendable {
  private let observations: [EventObservation]

  /// Begins to observe.
  ///
  /// - Parameters:
  ///   - logger: The logger that gets a line for each event, as the module's article lists them; nil: nothing is
  ///     logged.
  ///   - metrics: The factory of the counters, timers and gauges of the article; that of the process unless said
  ///     otherwise, which does nothing until an app has set one up. Nil: nothing is counted.
  public init(logger: Logger?, metrics: (any MetricsFactory)? = MetricsSystem.factory) {
    let log = logger.map(StoreLog.init)
    let meters = metrics.map(StoreMetrics.init)
    observations = [
      StoreEvents.observe { event in
        log?.write(event)
        meters?.count(event)
      },
      SyncEvents.observe { store, event in
        log?.write(event, of: store)
        meters?.count(event, of: store)
      },
    ]
  }

  /// Ends the observation. May be called more than once.
  public func end() { observations.forEach { $0.end() } }
}
