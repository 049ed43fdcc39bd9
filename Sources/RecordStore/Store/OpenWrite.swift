import LMDB
import Synchronization

/// The one write transaction of a migration or of a batch of saves, as the handles see it that work inside.
///
/// Everything happens on the thread that writes, between two steps of the transaction's closure. The first save that
/// fails ends the whole: what it left behind may be half of it.
final class OpenWrite: Sendable {
  private struct State {
    var layout: StoreLayout
    var newFields: NewFields?
    var failure: (any Error)?
  }

  private let handle: WriteHandle
  private let path: String
  /// The sentence of the error where the transaction is over, or where another thread uses it.
  private let misuse: String
  private let state: Mutex<State>

  init(_ handle: WriteHandle, layout: StoreLayout, path: String, misuse: String) {
    self.handle = handle
    self.path = path
    self.misuse = misuse
    state = Mutex(State(layout: layout))
  }

  var layout: StoreLayout { state.withLock { $0.layout } }

  /// The fields that the present stage of a migration has brought.
  var newFields: NewFields? {
    get { state.withLock { $0.newFields } }
    set { state.withLock { $0.newFields = newValue } }
  }

  func throwFailure() throws {
    if let failure = state.withLock({ $0.failure }) { throw failure }
  }

  /// `past`: tables and names of an earlier step.
  func read<Result>(_ past: StoreLayout?, _ body: (borrowing StoreSnapshot) throws -> Result) throws -> Result {
    try requireUsable()
    let layout = past ?? self.layout
    return try StoreError.translating(store: path) {
      try handle.withTransaction { transaction in
        try body(StoreSnapshot(transaction: transaction.view, layout: layout))
      }
    }
  }

  func write<Value>(
    _ body: (borrowing WriteTransaction, StoreLayout) throws -> (Value, StoreLayout)
  ) throws -> Value {
    try requireUsable()
    let layout = self.layout
    do {
      let (value, next) = try handle.withTransaction { transaction in try body(transaction, layout) }
      state.withLock { $0.layout = next }
      return value
    } catch {
      state.withLock { $0.failure = $0.failure ?? error }
      throw (error as? LMDBError).map { StoreError($0, store: path) } ?? error
    }
  }

  private func requireUsable() throws {
    try throwFailure()
    guard handle.isUsable else { throw StoreError(.invalidRequest, misuse) }
  }
}
