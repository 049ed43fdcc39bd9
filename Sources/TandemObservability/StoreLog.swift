import Logging
import RecordStore
import RecordSync

/// Writes one line for each event.
///
/// | level | events |
/// |---|---|
/// | error | what a store refuses because it is damaged, or its device fails |
/// | warning | every other refusal of an opening or migration, a busy or full store, a recovery, a refused file |
/// | notice | a store is made or migrated, a synchronisation stops |
/// | info | a synchronisation that changed something ended |
/// | debug | openings, files published and merged, saves that a rule refused |
/// | trace | each commit, each beginning of a synchronisation |
struct StoreLog: Sendable {
  private let logger: Logger

  init(_ logger: Logger) { self.logger = logger }

  func write(_ event: StoreEvent) {
    switch event {
    case .created(let store):
      logger.notice("made a store", metadata: ["store": "\(store)"])
    case .opened(let store, let seconds):
      logger.debug("opened a store", metadata: ["store": "\(store)", "seconds": "\(seconds)"])
    case .recovered(let store, let recovery):
      logger.warning(
        "an opening mended what an earlier trouble had left",
        metadata: [
          "store": "\(store)", "abandoned-readers": "\(recovery.abandonedReaders)", "proven": "\(recovery.wasProven)",
        ])
    case .migrated(let store, let from, let to, let steps):
      logger.notice(
        "migrated a store",
        metadata: ["store": "\(store)", "from": "\(from)", "to": "\(to)", "steps": "\(steps)"])
    case .saved(let store, let commit):
      logger.trace(
        "saved", metadata: ["store": "\(store)", "saves": "\(commit.saves)", "seconds": "\(commit.seconds)"])
    case .refused(let store, let activity, let code):
      logger.log(
        level: Self.level(of: code, during: activity), "a store refused",
        metadata: ["store": "\(store)", "activity": "\(activity.rawValue)", "code": "\(code)"])
    }
  }

  func write(_ event: SyncEvent, of store: String) {
    switch event {
    case .began(let activity):
      logger.trace("a synchronisation began", metadata: ["store": "\(store)", "activity": "\(activity)"])
    case .exported(let file, let number, _):
      logger.debug("published", metadata: ["store": "\(store)", "file": "\(file)", "up-to": "\(number)"])
    case .merged(let replica, let number, let last):
      logger.debug(
        "merged",
        metadata: ["store": "\(store)", "replica": "\(replica)", "up-to": "\(number)", "of": "\(last)"])
    case .copied(let value, let count, let total):
      guard count == total else { return }
      logger.debug("copied a large value", metadata: ["store": "\(store)", "value": "\(value)", "bytes": "\(total)"])
    case .refused(let refusal):
      logger.warning(
        "a synchronisation did not take a file",
        metadata: ["store": "\(store)", "file": "\(refusal.file)", "reason": "\(refusal.reason)"])
    case .ended(let activity, let report):
      logger.log(
        level: report.isQuiet ? .trace : .info, "a synchronisation ended",
        metadata: [
          "store": "\(store)", "activity": "\(activity)", "exported": "\(report.transactionsExported)",
          "merged": "\(report.transactionsMerged)", "conflicts": "\(report.conflicts)",
        ])
    case .stopped(let activity):
      logger.notice("a synchronisation stopped", metadata: ["store": "\(store)", "activity": "\(activity)"])
    }
  }

  /// A rule that refuses a save has done its work, so that is no trouble of the store.
  private static func level(of code: StoreError.Code, during activity: StoreActivity) -> Logger.Level {
    let troubles: [StoreError.Code] = [.damaged, .inputOutput, .commitOutcomeUnknown, .filesReplaced]
    let obstacles: [StoreError.Code] = [
      .busy, .diskFull, .readersFull, .permissionDenied, .readOnlyFileSystem, .networkFileSystem,
    ]
    if troubles.contains(code) { return .error }
    return activity != .save || obstacles.contains(code) ? .warning : .debug
  }
}

extension SyncReport {
  /// Whether a run changed nothing and left nothing aside.
  fileprivate var isQuiet: Bool {
    transactionsExported == 0 && transactionsMerged == 0 && snapshotsWritten == 0 && refused.isEmpty
  }
}
