/// Runs pieces of work one after another, also where they wait in between: an actor alone would let the next begin.
///
/// What is begun is carried through, whether or not its caller is cancelled: a delivery is never left half done.
final actor DeliveryQueue {
  private var last: Task<Void, Never>?

  func run<Result: Sendable>(_ work: @escaping @Sendable () async throws -> Result) async throws -> Result {
    let previous = last
    let task = Task {
      await previous?.value
      return try await work()
    }
    last = Task { _ = await task.result }
    return try await task.value
  }
}
