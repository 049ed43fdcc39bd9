import HTTPTypes
package import StoreInspection
import Synchronization

/// Tells every open page what has happened. An event is a hint to ask again: a page that is slow may miss some of
/// them, and none of the news.
package final class EventHub: Sendable {
  enum Event: Sendable {
    case news(JSON)
    /// Keeps the connection, and finds out whether there still is one.
    case beat
    /// The last one, with the reason.
    case end(String)
  }

  private struct State {
    var listeners: [Int: AsyncStream<Event>.Continuation] = [:]
    var next = 0
    /// Streams whose last bytes are not written yet.
    var open = 0
    var reason: String?
  }
  private let state = Mutex(State())
  /// More pages than a person looks at; a limit to what a program that goes wrong can hold.
  private static let most = 64
  private static let buffered = 256

  package init() {}

  package func tell(_ news: JSON) { send(.news(news)) }

  func beat() { send(.beat) }

  /// Ends all streams, and those that would still begin.
  func end(_ reason: String) {
    let listeners = state.withLock { state in
      state.reason = reason
      return state.listeners.values
    }
    for listener in listeners {
      listener.yield(.end(reason))
      listener.finish()
    }
  }

  var hasOpenStreams: Bool { state.withLock { $0.open > 0 } }

  /// The events from now on. ``close()`` follows when the stream has been written.
  func open() throws(PageRefusal) -> AsyncStream<Event> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Event.self, bufferingPolicy: .bufferingNewest(EventHub.buffered))
    let (number, reason) = try state.withLock { state throws(PageRefusal) in
      guard state.open < EventHub.most else {
        throw PageRefusal("\(EventHub.most) pages are open; close some of them", status: .serviceUnavailable)
      }
      state.next += 1
      state.open += 1
      if state.reason == nil { state.listeners[state.next] = continuation }
      return (state.next, state.reason)
    }
    if let reason {
      continuation.yield(.end(reason))
      continuation.finish()
    }
    continuation.onTermination = { [self] _ in state.withLock { $0.listeners[number] = nil } }
    return stream
  }

  func close() { state.withLock { $0.open -= 1 } }

  private func send(_ event: Event) {
    // Outside of the lock, which the end of a stream takes.
    for listener in state.withLock({ Array($0.listeners.values) }) { listener.yield(event) }
  }
}
