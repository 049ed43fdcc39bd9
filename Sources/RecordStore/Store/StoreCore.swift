import Foundation
import LMDB
import Synchronization

/// The state that all handles of this process on one store share: environment, queue of writes, layout, watcher.
///
/// Safe to use from any thread. The last handle that goes ends the threads and closes the environment.
final class StoreCore: Sendable {
  let environment: Environment
  let url: URL
  /// The same as text: `url.path` takes longer than a read.
  let path: String
  /// The files of large values; nil for a store in memory.
  let external: ExternalFolder?
  let observers = CommitObservers()
  /// As found at opening or set by ``RecordStore/adopt(storeID:)``.
  let storeID: Mutex<RecordID>
  private let layout: Mutex<KnownLayout>
  private let locks: Mutex<Locks?>
  private let watcher = Mutex<ChangeNoticeWatcher?>(nil)
  let ownTransactions: OwnTransactions
  /// An in-memory store: its files have no names any more, so nobody else can be there.
  private let isPrivate: Bool
  private let fileMode: UInt16
  /// Whether this process has made sure of the store's identity; then its writes need not ask again.
  private let isConfirmed: Mutex<Bool>
  private let writer: Mutex<WriterQueue?>
  /// For the next save of this process.
  let leftTables = LeftTables.Keeper()
  /// The bytes of large values that saves of this process have placed since somebody looked for those that nobody
  /// names, and the bytes that were named then.
  let placed = Mutex<(since: Int, named: Int)>((0, 0))
  /// When events told the store's sizes last.
  let lastGauge = Mutex<ContinuousClock.Instant?>(nil)

  /// The layout, and the last snapshot that was seen to have it.
  private struct KnownLayout {
    var layout: StoreLayout
    var transactionID: UInt64 = .max
  }

  private struct Locks {
    let writer: WriterLock
    let notice: ChangeNoticeFile
  }

  init(
    environment: Environment, url: URL, layout: StoreLayout, storeID: RecordID, ownTransactions: OwnTransactions,
    _ configuration: StoreConfiguration
  ) {
    isPrivate = configuration.url == nil
    fileMode = configuration.fileMode
    external = configuration.externalFolder(of: url.path)
    if let external { ExternalFolders.add(external) }
    self.environment = environment
    self.ownTransactions = ownTransactions
    self.url = url
    path = url.path
    self.layout = Mutex(KnownLayout(layout: layout))
    self.storeID = Mutex(storeID)
    isConfirmed = Mutex(isPrivate || !configuration.confirmsIdentity)
    locks = Mutex(nil)
    writer = Mutex(nil)
  }

  deinit {
    if let external { ExternalFolders.remove(external) }
  }

  /// Takes the names of an in-memory store's files away: they vanish with the last descriptor, however the
  /// process ends.
  func unlinkFiles() throws {
    try openLocks()
    environment.expectNoNames()
    try FileItem.remove(url, "the names of an in-memory store")
  }
}

// Reading.
extension StoreCore {
  func read<Result>(
    declaring declared: DeclaredSchema? = nil, _ body: (borrowing StoreSnapshot) throws -> Result
  ) throws -> Result {
    try StoreError.translating(store: path) {
      while true {
        let known = layout.withLock { $0 }
        do {
          return try environment.read { transaction throws -> Result in
            let id = transaction.view.id
            guard try has(known, transaction.view, id) else { throw OldLayout() }
            try declared?.requireUsable(in: known.layout.catalogue)
            return try body(StoreSnapshot(transaction: transaction.view, layout: known.layout, commitID: id))
          }
        } catch is OldLayout {
          // Another process has changed the catalogue; its tables must be opened before a snapshot begins.
          try reloadLayout(known: known.layout)
        }
      }
    }
  }

  /// Thrown and caught in a read. Not a nil, as an optional of a type parameter asks the runtime for its metadata.
  private struct OldLayout: Error {}

  /// Whether a snapshot has the known layout; looked up once a commit.
  private func has(_ known: KnownLayout, _ view: TransactionView, _ id: UInt64) throws -> Bool {
    if id == known.transactionID { return true }
    let meta = MetaTable(view, known.layout.databases.meta, path: path)
    guard try meta.generation() == known.layout.catalogue.generation else { return false }
    layout.withLock { if $0.layout === known.layout { $0.transactionID = id } }
    return true
  }

  private func reloadLayout(known: StoreLayout) throws {
    let catalogue = try environment.read { transaction in
      try MetaTable(transaction.view, known.databases.meta, path: path).catalogue()
    }
    let found = try StoreLayout.open(catalogue, in: environment)
    layout.withLock { $0 = KnownLayout(layout: found) }
  }

  var isIdentityConfirmed: Bool { isConfirmed.withLock { $0 } }

  var currentLayout: StoreLayout { layout.withLock { $0.layout } }

  func lastNumber() throws -> UInt64 { try read { try $0.lastTransactionNumber } }

  private func progress() throws -> CommitObservers.Progress {
    let isHeard = observers.hearsOfArrivals
    return try read { snapshot in
      .init(
        number: try snapshot.lastTransactionNumber, generation: snapshot.catalogue.generation,
        arrivals: isHeard ? try snapshot.valueArrivals : 0)
    }
  }
}

// Writing.
extension StoreCore {
  /// Runs a write when it is its turn; see ``WriterQueue``.
  func write<Value: Sendable>(
    timeoutSeconds: Double,
    _ body: @escaping @Sendable (borrowing WriteTransaction, StoreLayout) throws -> (Value, StoreLayout)
  ) throws -> Value {
    let queue = writer.withLock { writer in
      if let writer { return writer }
      let made = WriterQueue(name: url.lastPathComponent) { [weak self] jobs in
        guard let self else { preconditionFailure("a caller waits for its job and keeps the store") }
        self.perform(jobs)
      }
      writer = made
      return made
    }
    return try queue.perform(timeoutSeconds: timeoutSeconds, body)
  }

  /// On the thread that writes: one LMDB commit for all jobs.
  private func perform(_ jobs: [WriterQueue.Job]) {
    let began = StoreEvents.isObserved ? ContinuousClock.now : nil
    var outcomes: [(any Error)?] = jobs.map { _ in nil }
    do {
      let locks = try openLocks()
      try locks.writer.withLock(timeoutSeconds: jobs.map(\.timeoutSeconds).max() ?? 0) {
        outcomes = try StoreError.translating(store: path) { try commit(jobs) }
        announce(locks.notice)
      }
    } catch {
      outcomes = jobs.map { _ in error }
    }
    if let began { tell(outcomes, since: began) }
    for (job, error) in zip(jobs, outcomes) { job.finish(error) }
    lookForCommits()
  }

  @discardableResult
  private func openLocks() throws -> Locks {
    try locks.withLock { locks in
      if let locks { return locks }
      // The path leads to the lock of any store that has taken this one's place.
      try StoreError.translating(store: path) { try environment.requireFiles() }
      let opened = Locks(
        writer: try WriterLock(store: url, mode: fileMode), notice: try ChangeNoticeFile(store: url, mode: fileMode))
      locks = opened
      return opened
    }
  }

  private func commit(_ jobs: [WriterQueue.Job]) throws -> [(any Error)?] {
    let (outcomes, final) = try jobs.count == 1 ? alone(jobs[0]) : sharing(jobs)
    layout.withLock { if $0.layout !== final { $0 = KnownLayout(layout: final) } }
    // Only now: what the check has entered went with a transaction that failed.
    isConfirmed.withLock { $0 = true }
    return outcomes
  }

  private func alone(_ job: WriterQueue.Job) throws -> ([(any Error)?], StoreLayout) {
    let done = try environment.write { transaction throws -> ([(any Error)?], StoreLayout) in
      let found = leftTables.begin(transaction.view.id)
      return ([nil], try job.body(transaction, try beginLayout(found, in: transaction)))
    }
    leftTables.settle()
    return done
  }

  /// Most groups have nothing to undo, and a nested transaction copies each page that the one before it has written. So
  /// jobs run beside each other first, and nested only where one of them throws.
  private func sharing(_ jobs: [WriterQueue.Job]) throws -> ([(any Error)?], StoreLayout) {
    leftTables.forget()
    do {
      return try environment.write { transaction throws in
        var layout = try beginLayout(in: transaction)
        for job in jobs {
          do { layout = try job.body(transaction, layout) } catch { throw JobRefusal() }
        }
        return (jobs.map { _ in nil }, layout)
      }
    } catch is JobRefusal {
      // Undone; what the commit itself throws is not caught here, for it may have taken place.
      return try apart(jobs)
    }
  }

  private struct JobRefusal: Error {}

  /// All jobs in one transaction, each in a nested one. A job that throws is undone without touching the others.
  private func apart(_ jobs: [WriterQueue.Job]) throws -> ([(any Error)?], StoreLayout) {
    try environment.write { transaction throws in
      var layout = try beginLayout(in: transaction)
      var outcomes: [(any Error)?] = []
      for job in jobs {
        do {
          layout = try transaction.nested { nested in try job.body(nested, layout) }
          outcomes.append(nil)
        } catch let error as LMDBError where error.rerunsWrite {
          throw error
        } catch let error as LMDBError {
          outcomes.append(StoreError(error, store: path))
        } catch {
          outcomes.append(error)
        }
      }
      return (outcomes, layout)
    }
  }

  /// `found`: the layout, where it is known to be that of the transaction.
  private func beginLayout(
    _ found: StoreLayout? = nil, in transaction: borrowing WriteTransaction
  ) throws -> StoreLayout {
    let layout = try found ?? layout(in: transaction)
    if !isIdentityConfirmed { try IdentityCheck(url: url).run(layout, in: transaction) }
    return layout
  }

  private func layout(in transaction: borrowing WriteTransaction) throws -> StoreLayout {
    let known = currentLayout
    let meta = MetaTable(transaction.view, known.databases.meta, path: path)
    // First: a later build's catalogue may be none that is understood here.
    let format = try meta.format()
    let isCurrent = try meta.generation() == known.catalogue.generation
    let found = isCurrent ? known : try StoreLayout.open(meta.catalogue(), in: environment)
    return try FormatUpgrade(path: path).runIfNeeded(found, format, in: transaction)
  }

  private func announce(_ notice: ChangeNoticeFile) {
    do {
      try notice.post(transactionID: try environment.information().lastTransactionID)
    } catch {
      // The commit is done; a notice is a hint, and the next one tells of this commit too.
      return
    }
  }
}

extension LMDBError {
  /// The environment runs the whole write again, so no job of it has an outcome yet.
  fileprivate var rerunsWrite: Bool {
    switch code {
    case .mapFull, .mapResized, .databaseOpenedLater: true
    default: false
    }
  }
}

// Commits of other processes.
extension StoreCore {
  func lookForCommits() { observers.look { [weak self] in self?.newestProgress } }

  private var newestProgress: CommitObservers.Progress? {
    do {
      return try progress()
    } catch {
      // A store that cannot be read has no news; its next reader gets the error.
      return nil
    }
  }

  /// How far the file has come; nil when it cannot be told.
  private var lastTransactionID: UInt64? {
    do {
      return try environment.information().lastTransactionID
    } catch {
      // The watcher asks again in a second; the next reader gets the error.
      return nil
    }
  }

  /// Starts to listen to other processes when somebody is interested.
  func startWatching() throws {
    guard !isPrivate else { return }
    try watcher.withLock { watcher in
      guard watcher == nil else { return }
      watcher = try ChangeNoticeWatcher(store: url, transactionID: { [weak self] in self?.lastTransactionID }) {
        // It keeps the store while it waits, so that no observer can be the one to end this thread.
        [weak self] _ in self.map { core in core.observers.lookNow { core.newestProgress } }
      }
    }
  }
}

extension StoreCore {
  func startObserving(
    of subject: CommitObservers.Subject = .transactions, _ observer: @escaping @Sendable (UInt64) -> Void
  ) -> UInt64 {
    var known = CommitObservers.Progress(number: 0, generation: 0)
    do {
      try startWatching()
      known = try progress()
    } catch {
      // Without the system's signal, commits of this process are still told; `read` reports what is wrong.
      known = CommitObservers.Progress(number: 0, generation: 0)
    }
    return observers.add(subject, after: known, observer)
  }
}
