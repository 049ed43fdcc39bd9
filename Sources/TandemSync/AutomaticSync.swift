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
  /// A unit that is synchronised at once: a store with a folder, or a device directory over a transport.
  struct Part: Sendable {
    var synchronize: @Sendable () async throws -> SyncReport
    /// The same, of a place that somebody emptied, with all that the unit knows.
    var beginAnew: @Sendable () async throws -> SyncReport
    /// Brings the large value with a digest, if the unit's stores await it. Reports what was done besides.
    var load: @Sendable (String) async throws -> SyncReport
    /// Returns when its task is cancelled.
    var follow: @Sendable (@escaping @Sendable (WatchEvent<SyncReport>) -> Void) async -> Void
  }

  private let parts: [Part]
  private let tasks: [Task<Void, Never>]
  private let feed: EventFeed<WatchEvent<SyncReport>>

  /// Begins at once, with a folder that another tool moves.
  ///
  /// - Throws: ``SyncError`` `unsuitableStore` where the container has no store in a file, `sameDirectory` for a folder
  ///   in a store's directory or around it, and what else `SyncEngine.init(container:)` throws.
  public convenience init(
    container: ModelContainer, folder: URL, options: SyncOptions = SyncOptions(), watch: WatchOptions = WatchOptions()
  ) throws {
    let configurations = try container.configurationsInFiles().sorted {
      ($0.name, $0.url.path) < ($1.name, $1.url.path)
    }
    let engines = try configurations.map { try SyncEngine(container, $0, folder: folder, options: options) }
    self.init(
      engines.map { engine in
        Part(
          synchronize: { try await engine.sync() },
          beginAnew: { try await engine.beginAnew() },
          load: {
            try await engine.loadValue(sha256: $0)
            return SyncReport()
          },
          follow: { await engine.follow(watch, $0) })
      })
  }

  init(_ parts: [Part]) {
    let feed = EventFeed<WatchEvent<SyncReport>>()
    self.parts = parts
    self.feed = feed
    tasks = parts.map { part in Task { await part.follow { feed.send($0) } } }
  }

  deinit { for task in tasks { task.cancel() } }

  /// The events from now on: progress, reports, troubles once. Each call gives a sequence of its own, which ends
  /// with the synchronisation and does not keep it. A consumer that falls behind keeps the newest 1000 events.
  public var events: AsyncStream<WatchEvent<SyncReport>> { feed.stream() }

  /// Synchronises at once, whatever was gathered, and returns what was done.
  ///
  /// - Throws: As ``SyncEngine/sync()``; over a transport as `DeviceSync.synchronize(_:transport:beginningAnew:)`, and
  ///   ``SyncError`` `transportFailed` where a store failed or something could not be brought. All that could be done
  ///   is done then, for each store of the container.
  @discardableResult
  public func sync() async throws -> SyncReport { try await summary { try await $0.synchronize() } }

  /// Fills a folder, or the place of a transport, that was used before and that somebody emptied: with all that the
  /// container's stores know. Synchronises then.
  ///
  /// ```swift
  /// do {
  ///   try await sync.sync()
  /// } catch let error as SyncError where error.code == .folderMissing && isSure() {
  ///   try await sync.beginAnew()
  /// }
  /// ```
  /// An empty folder is refused with `folderMissing`, for mostly it is only unmounted: call this when a person says
  /// so. Other devices need nothing but to synchronise; what they have, too, is merged and not doubled.
  ///
  /// - Throws: As ``sync()``. A run that is killed or cancelled is to be begun again while the folder is refused.
  @discardableResult
  public func beginAnew() async throws -> SyncReport { try await summary { try await $0.beginAnew() } }

  private func summary(of run: (Part) async throws -> SyncReport) async throws -> SyncReport {
    var report = SyncReport()
    let thrown = try await failures { part in
      report.add(try await run(part))
      return false
    }
    if let first = thrown.first { throw first }
    return report
  }

  /// Brings a large value that the options' `largeValues` has left in the folder or at the place of the transport; at
  /// once where it is here already. Afterwards its `isAvailable` is true, and its object's getter gives the bytes.
  ///
  /// ```swift
  /// if let value = try context.externalValue(of: \.image, for: drawing) { try await sync.load(value) }
  /// ```
  /// With a folder it costs a list of the files of values and the reading of one; over a transport it is a
  /// synchronisation that fetches this value, too.
  ///
  /// - Throws: ``SyncError`` `missingValue` where nobody has put a whole file of it there, and where the bound on a
  ///   transport's run was reached before it: each call comes further; and as ``sync()`` does.
  public func load(_ value: ExternalValue) async throws {
    guard value.isInFile, !value.isAvailable else { return }
    var isPostponed = false
    // Each store of the container may be the one that names it.
    let thrown = try await failures { part in
      let report = try await part.load(value.sha256)
      isPostponed = isPostponed || !report.postponed.isEmpty
      return value.isAvailable
    }
    if value.isAvailable { return }
    if isPostponed, thrown.isEmpty {
      throw SyncError(
        .missingValue,
        "the large value \(value.sha256) has not come yet, for the run reached the options' maximumBytes and left the "
          + "rest to the next one: load it again")
    }
    throw thrown.first { ($0 as? SyncError)?.code != .missingValue } ?? thrown.first
      ?? SyncError(
        .missingValue,
        "the large value \(value.sha256) has not come from any device yet; synchronise a device that has it, then load "
          + "it again")
  }

  /// Calls `body` with each part, whatever another one throws, until it returns true; returns what was thrown.
  private func failures(of body: (Part) async throws -> Bool) async throws -> [any Error] {
    var failures: [any Error] = []
    for part in parts {
      do {
        if try await body(part) { break }
      } catch let error as CancellationError {
        throw error
      } catch {
        failures.append(error)
      }
    }
    return failures
  }

  /// Ends it; returns when the run under way has ended. All work done is whole.
  public func stop() async {
    for task in tasks { task.cancel() }
    for task in tasks { await task.value }
    feed.end()
  }
}

extension ModelContainer {
  /// Throws ``SyncError`` `unsuitableStore` where there is none.
  func configurationsInFiles() throws -> Set<ModelConfiguration> {
    let found = configurations.filter { $0.place != nil }
    guard !found.isEmpty else {
      throw SyncError(.unsuitableStore, "the container has no store in a file, so there is nothing to synchronise")
    }
    return found
  }
}
