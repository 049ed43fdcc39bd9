public import Foundation
import RecordStore
public import RecordSync
import Synchronization
public import Tandem

/// Keeps a container equal with other devices by itself, after each save and whenever something arrives.
///
/// ```swift
/// let sync = try AutomaticSync(container: container, folder: folder)
/// ```
/// Keep it as long as the app synchronises; it ends when nobody holds it, or with ``stop()``. It keeps the container's
/// stores open, not the container. All stores of the container are synchronised, each at its own place (see
/// `SyncEngine.init(container:)`). Saves of any context and process are gathered for ``WatchOptions/saveDelay``.
///
/// Several processes on one store may each have one: one process at a time synchronises, and when it ends another one
/// goes on. The next one that starts publishes saves that were not published when the last of them ended;
/// call ``sync()`` before the end of a short program.
///
/// Trouble is never thrown at the app: it is in ``events``, and tried again. Safe to use from any thread.
public final class AutomaticSync: Sendable {
  private let engines: [SyncEngine]
  private let tasks: [Task<Void, Never>]
  private let feed: EventFeed<WatchEvent<SyncReport>>

  /// Begins at once.
  ///
  /// - Throws: ``SyncError`` `unsuitableStore` where the container has no store in a file.
  public init(
    container: ModelContainer, folder: URL, options: SyncOptions = SyncOptions(), watch: WatchOptions = WatchOptions()
  ) throws {
    let names = container.configurations.filter { $0.place != nil }.map(\.name).sorted()
    guard !names.isEmpty else {
      throw SyncError(.unsuitableStore, "the container has no store in a file, so there is nothing to synchronise")
    }
    let feed = EventFeed<WatchEvent<SyncReport>>()
    engines = try names.map { try SyncEngine(container: container, storeNamed: $0, folder: folder, options: options) }
    tasks = engines.map { engine in Task { await engine.follow(watch) { feed.send($0) } } }
    self.feed = feed
  }

  deinit { for task in tasks { task.cancel() } }

  /// The events from now on: progress, reports, troubles once. Each call gives a sequence of its own, which ends
  /// with the synchronisation and does not keep it. A consumer that falls behind keeps the newest 1000 events.
  public var events: AsyncStream<WatchEvent<SyncReport>> { feed.stream() }

  /// Synchronises at once, whatever was gathered, and returns what was done.
  ///
  /// - Throws: As ``SyncEngine/sync()``.
  @discardableResult
  public func sync() async throws -> SyncReport {
    var report = SyncReport()
    for engine in engines { report.add(try await engine.sync()) }
    return report
  }

  /// Ends it; returns when the run under way has ended. All work done is whole.
  public func stop() async {
    for task in tasks { task.cancel() }
    for task in tasks { await task.value }
    feed.end()
  }
}
