import Dispatch
import Foundation
import RecordStore

/// The App Store's books: a record store in the App Store directory, which any number of processes read, write and
/// watch.
///
/// Every decision is made inside a commit, on the writer's own snapshot, so two processes never take one number
/// twice, and what an app hears of is on the device.
final class Ledger: Sendable {
  static let schema = StoreSchema(entities: [
    LedgerSettings.definition, LedgerSigningChain.definition, LedgerAccount.definition, LedgerDevice.definition,
    LedgerProducts.definition, LedgerTransaction.definition, LedgerRequest.definition, LedgerSubscription.definition,
    LedgerEvent.definition, LedgerFault.definition,
  ])

  let store: RecordStore
  let wallClock: @Sendable () -> Date
  /// Commits wait for the writer, reads for the disk: not on Swift's shared threads.
  private let queue = DispatchQueue(label: "tandem.app-store", attributes: .concurrent)

  /// Opens the books, or begins them. Blocks.
  init(_ configuration: StoreConfiguration, wallClock: @escaping @Sendable () -> Date) throws {
    self.wallClock = wallClock
    store = try Self.naming { try RecordStore.open(configuration, schema: Self.schema) }
  }

  /// The settings, made by the first process that comes. Blocks.
  func begin(bundleID: String, seed: UInt64) throws -> LedgerSettings {
    let (store, wallClock) = (store, wallClock)
    return try Self.naming {
      if let settings = try store.read({ try $0.find(LedgerSettings.self, LedgerSettings.onlyID) }) { return settings }
      let first = try SigningChain(seed: seed)
      return try store.commit { snapshot in
        if let settings = try snapshot.find(LedgerSettings.self, LedgerSettings.onlyID) {
          return (SaveRequest(), settings)
        }
        var settings = LedgerSettings()
        (settings.bundleID, settings.seed, settings.signingGeneration) = (bundleID, seed, first.generation)
        var edit = LedgerEdit(settings: settings, now: settings.now(wall: wallClock()), catalogue: snapshot.catalogue)
        try edit.insert(settings)
        try edit.insert(LedgerSigningChain(first))
        return (try edit.request(), settings)
      }.1
    }
  }

  /// Reads one state of the books.
  func read<Value: Sendable>(
    _ body: @escaping @Sendable (borrowing StoreSnapshot) throws -> Value
  ) async throws -> Value {
    try await perform { store, _ in try store.read(body) }
  }

  /// Reads on the caller's thread: for one record, where nobody can wait.
  func readBlocking<Value>(_ body: (borrowing StoreSnapshot) throws -> Value) throws -> Value {
    try Self.naming { try store.read(body) }
  }

  /// One durable commit, all or nothing. `body` may run more than once.
  func commit<Value: Sendable>(
    _ body: @escaping @Sendable (borrowing StoreSnapshot, inout LedgerEdit) throws -> Value
  ) async throws -> Value {
    try await perform { store, wallClock in
      try store.commit { snapshot in
        let settings = try snapshot.settings()
        var edit = LedgerEdit(settings: settings, now: settings.now(wall: wallClock()), catalogue: snapshot.catalogue)
        let value = try body(snapshot, &edit)
        return (try edit.request(), value)
      }.1
    }
  }

  /// Reads, with the store's time.
  func readNow<Value: Sendable>(
    _ body: @escaping @Sendable (borrowing StoreSnapshot, LedgerSettings, Date) throws -> Value
  ) async throws -> Value {
    try await perform { store, wallClock in
      try store.read { snapshot in
        let settings = try snapshot.settings()
        return try body(snapshot, settings, settings.now(wall: wallClock()))
      }
    }
  }

  /// Reads what holds at the store's time that `body` is given: nothing that `subject` reads was changed by anybody
  /// between the reading and that time.
  func readStanding<Subject: Sendable & Equatable, Value: Sendable>(
    _ subject: @escaping @Sendable (borrowing StoreSnapshot) throws -> Subject,
    _ body: @escaping @Sendable (borrowing StoreSnapshot, LedgerSettings, Date) throws -> Value
  ) async throws -> (subject: Subject, value: Value) {
    try await perform { store, wallClock in
      while true {
        let (before, value) = try store.read { snapshot in
          let found = try subject(snapshot)
          let settings = try snapshot.settings()
          return (found, try body(snapshot, settings, settings.now(wall: wallClock())))
        }
        // A commit may have ended while the clock was read; then the state is older than the time.
        if try store.read(subject) == before { return (before, value) }
      }
    }
  }

  /// Calls `observer` after each commit of any process, as long as the returned value lives.
  func observe(_ observer: @escaping @Sendable () -> Void) -> CommitObservation {
    store.observeCommits { _ in observer() }
  }

  private func perform<Value: Sendable>(
    _ work: @escaping @Sendable (RecordStore, @escaping @Sendable () -> Date) throws -> Value
  ) async throws -> Value {
    let (store, wallClock) = (store, wallClock)
    return try await withCheckedThrowingContinuation { continuation in
      queue.async {
        continuation.resume(with: Result { try Self.naming { try work(store, wallClock) } })
      }
    }
  }

  /// The store's errors in this module's terms.
  private static func naming<Value>(_ work: () throws -> Value) throws -> Value {
    do {
      return try work()
    } catch let error as StoreError {
      throw AppStoreTestingError(.ledger, "the App Store's ledger failed: \(error.message)", cause: error)
    }
  }
}
