import RecordStore

extension SyncEngine {
  /// Synchronises now, and then whenever this device saved or the folder got something new, and tells what happens.
  ///
  /// ```swift
  /// for await event in engine.watch() {
  ///   if case .trouble(let sentence) = event { show(sentence) }
  /// }
  /// ```
  /// No trouble ends the sequence: a folder that is gone, a full disk, a store that is busy are told once, tried again
  /// after growing waits, and once more told when they are over. It ends with the consuming task, with ``cancel()``, or
  /// when nobody holds the sequence any more; until then it keeps the engine. A consumer that falls behind keeps the
  /// newest 1000 events.
  ///
  /// Several processes may watch one store: one at a time synchronises, and the others find nothing left to do. One
  /// that keeps them from it for ten minutes, such as one that was stopped, is a trouble.
  ///
  /// Cost while nothing happens: a look at each replica's folder every half minute, or every two seconds on network
  /// file systems, which tell of nothing.
  public nonisolated func watch(_ options: WatchOptions = WatchOptions()) -> AsyncStream<WatchEvent<SyncReport>> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: WatchEvent<SyncReport>.self, bufferingPolicy: .bufferingNewest(1000))
    let task = Task {
      await follow(options) { continuation.yield($0) }
      continuation.finish()
    }
    let number = watches.add(task)
    continuation.onTermination = { [watches] _ in watches.cancel(number) }
    return stream
  }

  /// As ``watch(_:)``, within the calling task: returns once that is cancelled and the run under way has ended.
  public nonisolated func follow(
    _ options: WatchOptions = WatchOptions(), _ tell: @escaping @Sendable (WatchEvent<SyncReport>) -> Void
  ) async {
    let timer = WatchTimer()
    let observation = store.observeCommits { _ in timer.ring(within: options.saveDelay) }
    defer { withExtendedLifetime(observation) {} }
    await WatchLoop(options: options, timer: timer, tell: tell) { [self] in
      try await events(to: { tell(.progress($0)) }) { try await self.round() }
    }.run()
  }

  /// One process at a time works for a store, so that others do not do the same; what is left to it may be much less. A
  /// process that dies leaves its lock.
  private func round() throws -> WatchLoop<SyncReport>.Round {
    do {
      let lock = try store.configuration.url.map { try DirectoryLock($0, timeoutSeconds: 0) }
      defer { withExtendedLifetime(lock) {} }
      let report = try syncAsFarAsPossible()
      let own = try store.read { Set([try $0.replica] + (try $0.formerReplicas.map(\.replica))) }
      return WatchLoop.Round(report: report, places: try folder.placesOfArrival(except: own))
    } catch let error as SyncError where error.code == .busy {
      return WatchLoop.Round(isTaken: error.message)
    }
  }
}
