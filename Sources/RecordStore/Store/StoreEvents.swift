/// The events of all stores that this process has open.
///
/// Nobody listens unless an app asks for it; then an event costs a store one load of a word. The module
/// `TandemObservability` passes them on to swift-log and swift-metrics.
///
/// ```swift
/// let observation = StoreEvents.observe { event in
///   if case .refused(let store, let activity, let code) = event {
///     print("\(store): \(activity.rawValue) refused, \(code)")
///   }
/// }
/// defer { observation.end() }
/// ```
public enum StoreEvents {
  private static let feed = EventFeed<StoreEvent>()

  /// Calls `receive` with each event, until the observation ends.
  ///
  /// Calls come on the thread that does the work, one store's in the order in which they happen, and that work waits
  /// for them: `receive` should return soon, and must not use a store.
  public static func observe(_ receive: @escaping @Sendable (StoreEvent) -> Void) -> EventObservation {
    feed.observe(receive)
  }

  static var isObserved: Bool { feed.hasListeners }

  static func send(_ event: @autoclosure () -> StoreEvent) { feed.send(event()) }

  /// Runs `body` and tells of a refusal by a store, which is thrown on.
  static func telling<Result>(
    _ activity: StoreActivity, of store: @autoclosure () -> String, _ body: () throws -> Result
  ) throws -> Result {
    do {
      return try body()
    } catch let error as StoreError {
      send(.refused(store: store(), activity, error.code))
      throw error
    }
  }
}
