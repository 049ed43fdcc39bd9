import RecordStore

/// Runs a body in an isolation after each commit to some stores, and on request: any number of notices that come before
/// its turn are one. Ends with this object.
final class IsolatedNotices: Sendable {
  private let continuation: AsyncStream<Void>.Continuation
  private let observations: [CommitObservation]

  init(of stores: [RecordStore], isolation: isolated (any Actor)?, _ body: @escaping () -> Void) {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    self.continuation = continuation
    observations = stores.map { store in store.observeCommits { _ in continuation.yield() } }
    Task {
      // Named, so that the task runs there.
      _ = isolation
      for await _ in stream { body() }
    }
  }

  deinit { continuation.finish() }

  func post() { continuation.yield() }
}
