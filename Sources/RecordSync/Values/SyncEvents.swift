public import RecordStore

/// The events of all synchronisations of this process; ``SyncEngine/events`` has those of one.
///
/// ```swift
/// let observation = SyncEvents.observe { path, event in
///   if case .ended(.export, let report) = event { show("\(path): \(report.filesExported) files") }
/// }
/// ```
public enum SyncEvents {
  private static let feed = EventFeed<(store: String, event: SyncEvent)>()

  /// Calls `receive` with the path of the store and each event, until the observation ends.
  ///
  /// Calls come on the thread that synchronises, which waits for them: `receive` should return soon, and must not use a
  /// store.
  public static func observe(
    _ receive: @escaping @Sendable (_ store: String, _ event: SyncEvent) -> Void
  ) -> EventObservation {
    feed.observe { receive($0.store, $0.event) }
  }

  static func send(_ event: SyncEvent, of store: String) { feed.send((store, event)) }
}
