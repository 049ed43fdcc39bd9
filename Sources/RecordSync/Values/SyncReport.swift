/// The work of one synchronisation, for people and programs.
///
/// ```swift
/// func lines(of report: SyncReport) -> [String] {
///   if report.isUnchanged, report.isComplete { return ["nothing to do"] }
///   return ["\(report.transactionsMerged) transactions merged"] + report.waiting
///     + report.refused.map { (refusal: SyncReport.Refusal) in "\(refusal.file): \(refusal.reason)" }
/// }
/// ```
public struct SyncReport: Hashable, Codable, Sendable {
  /// A file or field that was not taken, and why. The rest proceeded.
  public struct Refusal: Hashable, Codable, Sendable {
    /// The file's path, or the name of the field.
    public var file: String
    /// One sentence about the cause.
    public var reason: String
    /// A refusal of a file.
    public init(file: String, reason: String) {
      self.file = file
      self.reason = reason
    }
  }

  /// Change sets that were published.
  public var filesExported = 0
  /// Own transactions that these hold.
  public var transactionsExported = 0
  /// Files whose transactions were merged, wholly or in part.
  public var filesRead = 0
  /// Files that held nothing new.
  public var filesSkipped = 0
  /// Others' transactions that were merged.
  public var transactionsMerged = 0
  /// Facts about records that were joined.
  public var recordsMerged = 0
  /// New entries of the conflict log.
  public var conflicts = 0
  /// Dead records that this store forgot; nobody sees a difference but in size.
  public var recordsCollected = 0
  /// Snapshots that were published.
  public var snapshotsWritten = 0
  /// Snapshots of others that were taken in, for a stream could not be read on without one.
  public var snapshotsJoined = 0
  /// Own change sets that were joined to larger ones, or that a snapshot replaces.
  public var filesCompacted = 0
  /// Large values that were put into the folder, for others.
  public var valuesDelivered = 0
  /// Large values of others that came.
  public var valuesReceived = 0
  /// The bytes of all these.
  public var valueBytes = 0
  /// Large values that records name, and that ``SyncOptions/largeValues`` leaves where they are until somebody asks.
  /// One that was replaced meanwhile is counted until the daily maintenance.
  public var valuesLeft = 0
  /// The bytes of those that were left.
  public var valueBytesLeft = 0
  /// Sentences about large values that records name, and that lie in no folder here: the store is not equal to those
  /// that have them.
  public var awaited: [String] = []
  /// Files that are damaged, incomplete, foreign or too new.
  public var refused: [Refusal] = []
  /// Streams with a gap: what comes later waits for the missing file.
  public var waiting: [String] = []
  /// Transactions that other devices say that they know, and that no file here has: the store is not equal to theirs.
  public var missing: [String] = []
  /// Sentences about files that could not be written into the folder; what others had written there was merged all the
  /// same.
  public var undelivered: [String] = []
  /// Sentences about files that were left to the next run, for the bound on bytes was reached.
  public var postponed: [String] = []
  /// Sentences about what was left out, such as a field that has another type here.
  public var warnings: [String] = []

  /// A report of nothing.
  public init() {}

  /// Nothing was exported, nothing merged.
  public var isUnchanged: Bool {
    filesExported == 0 && transactionsMerged == 0 && recordsCollected == 0 && snapshotsWritten == 0
      && snapshotsJoined == 0 && filesCompacted == 0 && valuesDelivered == 0 && valuesReceived == 0
  }

  /// Every file was taken, nothing waits for one, everything was delivered, and nobody is known to have more.
  public var isComplete: Bool {
    refused.isEmpty && waiting.isEmpty && missing.isEmpty && undelivered.isEmpty && awaited.isEmpty
      && postponed.isEmpty
  }

  /// Names snapshots that may hold what is missing, and are not whole; none twice.
  mutating func note(unfinished paths: [String]) {
    for path in paths where !waiting.contains(where: { $0.contains(path) }) {
      waiting.append("\(path) is incomplete or damaged; it is taken when a whole copy has arrived")
    }
  }

  /// Adds what another run did.
  public mutating func add(_ other: SyncReport) {
    filesExported += other.filesExported
    transactionsExported += other.transactionsExported
    filesRead += other.filesRead
    filesSkipped += other.filesSkipped
    transactionsMerged += other.transactionsMerged
    recordsMerged += other.recordsMerged
    conflicts += other.conflicts
    recordsCollected += other.recordsCollected
    snapshotsWritten += other.snapshotsWritten
    snapshotsJoined += other.snapshotsJoined
    filesCompacted += other.filesCompacted
    valuesDelivered += other.valuesDelivered
    valuesReceived += other.valuesReceived
    valueBytes += other.valueBytes
    valuesLeft += other.valuesLeft
    valueBytesLeft += other.valueBytesLeft
    awaited += other.awaited.filter { !awaited.contains($0) }
    refused += other.refused.filter { !refused.contains($0) }
    waiting += other.waiting.filter { !waiting.contains($0) }
    missing += other.missing.filter { !missing.contains($0) }
    undelivered += other.undelivered.filter { !undelivered.contains($0) }
    postponed += other.postponed.filter { !postponed.contains($0) }
    warnings += other.warnings.filter { !warnings.contains($0) }
  }
}
