import Synchronization

extension AppStore {
  /// The process's client, and above it the one of the current task and its children.
  private enum Connection {
    static let process = Mutex<(any StoreClient)?>(nil)
    @TaskLocal static var task: (any StoreClient)?
  }

  /// Makes `client` the App Store of the whole process. Call it once at launch, before anything is bought.
  ///
  /// Sequences, products and transactions that exist already stay with the client they came from.
  public static func connect(to client: any StoreClient) {
    Connection.process.withLock { $0 = client }
  }

  /// Takes the process's client away again.
  public static func disconnect() {
    Connection.process.withLock { $0 = nil }
  }

  /// The App Store of this task: the innermost ``withClient(_:operation:)``, else the one of ``connect(to:)``.
  ///
  /// - Throws: ``StoreKitError/systemError(_:)`` with a ``StoreConnectionError`` when there is neither.
  public static var client: any StoreClient {
    get throws {
      if let client = Connection.task ?? Connection.process.withLock({ $0 }) { return client }
      throw StoreKitError.systemError(StoreConnectionError.notConnected)
    }
  }

  /// Runs `operation` with an App Store of its own, so that tests with a store each run side by side.
  ///
  /// It holds for the task and its children; a detached task does not inherit it, but products, transactions and
  /// sequences made here keep to this client wherever they are used.
  ///
  /// - Throws: What `operation` throws.
  public static func withClient<Result, Failure: Error>(
    _ client: any StoreClient, operation: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let result = Connection.$task.withValue(client) { () -> Swift.Result<Result, Failure> in
      do throws(Failure) { return .success(try operation()) } catch { return .failure(error) }
    }
    return try result.get()
  }

  /// ``withClient(_:operation:)`` for work that waits.
  ///
  /// - Throws: What `operation` throws.
  public static func withClient<Result>(
    _ client: any StoreClient, isolation: isolated (any Actor)? = #isolation, operation: () async throws -> Result
  ) async rethrows -> Result {
    try await Connection.$task.withValue(client, operation: operation, isolation: isolation)
  }
}
