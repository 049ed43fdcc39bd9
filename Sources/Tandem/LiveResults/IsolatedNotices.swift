import RecordStore

/// Runs a body in an isolation after each commit to some stores, and on request: any number of notices that come before
/// its turn are one. Ends with this object, which an actor may hold that nobody else holds: the isolation is not kept.
final class IsolatedNotices: Sendable {
  private let continuation: AsyncStream<Void>.Continuation
  private let observations: [CommitObservation]

  init(of stores: [RecordStore], isolation: isolated (any Actor)?, _ body: @escaping () -> Void) {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    self.continuation = continuation
    observations = stores.map { store in store.observeCommits { _ in continuation.yield() } }
    // The main actor stays for ever: a task that is kept there needs no second hop.
    guard let isolation, isolation !== MainActor.shared else {
      Task {
        // Named, so that the task runs there.
        _ = isolation
        for await _ in stream { body() }
      }
      return
    }
    let turn = Turn(body: body)
    Task { @concurrent [weak isolation] in
      for await _ in stream {
        guard let isolation else { return }
        await turn.take(in: isolation)
      }
    }
  }

  /// `@unchecked Sendable` because the body is called in its own isolation alone.
  private struct Turn: @unchecked Sendable {
    let body: () -> Void

    func take(in isolation: isolated any Actor) { body() }
  }

  deinit { continuation.finish() }

  func post() { continuation.yield() }
}
