public import Observation
import RecordStore
import Synchronization

/// Counts the transactions that concern an app: saves of any context, of other processes, and merges.
///
/// ```swift
/// let observer = try HistoryObserver(observedModels: [Trip.self], authors: ["widget"], modelContainer: container)
/// for try await transaction in observer.transactions { refresh(transaction.changes) }
/// ```
/// In the isolation that made it, it counts by itself, soon after each commit. One that was made outside of any actor
/// looks when it is asked. Either can be asked anywhere. It reads only what is new. Ends when it is let go.
public final class HistoryObserver: Sendable {
  /// The container whose transactions are counted.
  public let modelContainer: ModelContainer
  /// The classes whose changes count, those that inherit from them included; empty: all.
  public let observedModels: [any PersistentModel.Type]
  /// The authors whose transactions count; empty: all, those without an author included.
  public let authors: Set<String>
  private let registrar = ObservationRegistrar()
  private let found = Broadcast<DefaultHistoryTransaction>()
  private let entities: Set<String>
  private struct State {
    var token: DefaultHistoryToken
    var counter = 0
    var notices: IsolatedNotices?
  }
  private let state: Mutex<State>

  /// - Parameters:
  ///   - historyTokens: By store identifier, where to begin: what came since then counts. A store that is not named, or
  ///     nil for all: from now on.
  ///   - observedModels: The classes whose changes count; empty: all.
  ///   - authors: The authors whose transactions count; empty: all.
  ///   - modelContainer: Where the transactions happen.
  ///   - isolation: Where the observer belongs: that of the caller.
  /// - Throws: `SwiftDataError.historyTokenExpired` for a token of deleted history, `unknownSchema` for a class that
  ///   the container does not have, `invalidTransactionFetchRequest` for a token of another kind of store.
  public convenience init(
    historyTokens: [String: any HistoryToken]? = nil, observedModels: [any PersistentModel.Type] = [],
    authors: Set<String> = [], modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(historyTokens ?? [:], observedModels, authors, modelContainer, isolation: isolation)
  }

  private init(
    _ tokens: [String: any HistoryToken], _ models: [any PersistentModel.Type], _ authors: Set<String>,
    _ container: ModelContainer, isolation: isolated (any Actor)?
  ) throws {
    modelContainer = container
    observedModels = models
    self.authors = authors
    entities = Set(
      try models.flatMap { model in
        let observed = try container.core.binding(of: model)
        return container.core.bindings(in: observed.store.index).filter { $0.isKind(of: observed) }
          .map(\.description.name)
      })
    let token = try container.core.ownStores.reduce(DefaultHistoryToken([:])) { token, store in
      guard let given = tokens[store.identifier] else {
        return token.reaching(try store.store.read { try $0.lastTransactionNumber }, in: store.identifier)
      }
      guard let number = (given as? DefaultHistoryToken)?.number(in: store.identifier) else {
        throw SwiftDataError(
          .invalidTransactionFetchRequest,
          "the token for the store \(store.configuration.name) is not of that store; take it from its history")
      }
      return token.reaching(number, in: store.identifier)
    }
    state = Mutex(State(token: token))
    try count()
    guard isolation != nil else { return }
    let notices = IsolatedNotices(of: container.core.ownStores.map(\.store), isolation: isolation) { [weak self] in
      self?.takeIn()
    }
    state.withLock { $0.notices = notices }
    // A commit since the look at the history told nobody.
    notices.post()
  }

  /// How many transactions that count there were. A part of history that was deleted before it was read counts as one.
  public var eventCounter: Int {
    if state.withLock({ $0.notices == nil }) { takeIn() }
    registrar.access(self, keyPath: \.eventCounter)
    return state.withLock { $0.counter }
  }

  /// The transactions that count, from now on. Several consumers each get all of them. Ends with the observer, or with
  /// the error `SwiftDataError.backwardMigration` once another process has migrated a store to a schema that this
  /// process's is no part of.
  public var transactions: AsyncThrowingStream<DefaultHistoryTransaction, any Error> {
    let stream = found.stream
    // One that begins later ends for the same reason.
    if let lost = modelContainer.core.lostSchema { found.end(lost) }
    return stream
  }

  private func takeIn() {
    do {
      try count()
    } catch SwiftDataError.historyTokenExpired {
      skip()
    } catch {
      // The next reader of the store gets the error; the next commit asks again.
      if let lost = modelContainer.core.lostSchema { found.end(lost) }
    }
  }

  private func count() throws {
    let hasCounted = try state.withLock { state in
      let news = try HistoryReader(modelContainer.core, after: state.token).read()
      state.token = news.end
      let counted = news.transactions.filter(counts)
      state.counter += counted.count
      // Within the lock, so that they are sent in their order whatever thread asks, and none before it counts.
      for transaction in counted { found.send(transaction) }
      return !counted.isEmpty
    }
    if hasCounted { tell() }
  }

  /// Outside of the lock, because an observer may look.
  private func tell() { registrar.withMutation(of: self, keyPath: \.eventCounter) {} }

  private func counts(_ transaction: DefaultHistoryTransaction) -> Bool {
    if !authors.isEmpty, !(transaction.author.map { authors.contains($0) } ?? false) { return false }
    return entities.isEmpty
      || transaction.changes.contains { entities.contains($0.changedPersistentIdentifier.entityName) }
  }

  /// History does not reach back: something happened where it was cut, and what is left comes after that. Other stores
  /// of the container have lost nothing.
  private func skip() {
    do {
      try state.withLock { state in
        for store in modelContainer.core.ownStores {
          let (first, last) = try store.store.read { (try $0.firstReadableNumber, try $0.lastTransactionNumber) }
          guard let number = state.token.number(in: store.identifier), number + 1 < first || number > last else {
            continue
          }
          state.token = state.token.moved(to: first - 1, in: store.identifier)
        }
        state.counter += 1
      }
      tell()
      try count()
    } catch {
      // As in takeIn.
      return
    }
  }
}

extension HistoryObserver: Observable {}
