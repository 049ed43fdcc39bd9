import Synchronization

/// How something ended that runs elsewhere.
final class Outcome<Value: Sendable>: Sendable {
  private let result = Mutex<Result<Value, any Error>?>(nil)

  func set(_ result: Result<Value, any Error>) { self.result.withLock { $0 = result } }

  func get() throws -> Value {
    guard let result = result.withLock({ $0 }) else { preconditionFailure("asked for an outcome before it was there") }
    return try result.get()
  }
}
