import Foundation
import RecordStore

/// Runs a synchronisation whenever there may be something to do, until its task is cancelled. No trouble ends it.
///
/// The first run begins at once. From then on runs follow saves and arrivals, and come at the latest after
/// ``WatchOptions/pollInterval``, but none before ``WatchOptions/minimumInterval``. After runs that failed the waits
/// double, and nothing cuts them short; so do those after runs that could not write everything, but saves and arrivals
/// wait for none of these.
struct WatchLoop<Report: WatchedReport>: Sendable {
  /// The findings of one round.
  struct Round: Sendable {
    /// Nil where somebody else is just synchronising the same.
    var report: Report?
    /// Says so.
    var isTaken: String?
    /// Where files of others arrive; nil where that was not looked for.
    var places: [URL]?
  }

  private static var pollWithNotice: Duration { .seconds(30) }
  private static var pollWithoutNotice: Duration { .seconds(2) }

  let options: WatchOptions
  let timer: WatchTimer
  let tell: @Sendable (WatchEvent<Report>) -> Void
  let round: @Sendable () async throws -> Round

  /// Returns when its task is cancelled, after the end of the run that is under way.
  func run() async {
    let (timer, delay) = (timer, options.arrivalDelay)
    let notice = FolderNotice { timer.ring(within: delay) }
    defer { timer.stop() }
    var troubles = TroubleBook()
    var isFirst = true
    var retry: Duration?
    var takenSince: ContinuousClock.Instant?
    timer.ring(within: .zero)
    for await _ in timer.runs where timer.begin(rest: options.minimumInterval) {
      do {
        let round = try await HeadPace.$interval.withValue(options.headInterval) { try await self.round() }
        let hearing = round.places.flatMap { notice?.watch($0) }
        // A file that arrived in a new folder before it was watched is looked for once more.
        if hearing?.isNew ?? false { timer.ring(within: options.arrivalDelay) }
        tellOf(round.report, &troubles, &isFirst)
        takenSince = round.report == nil ? takenSince ?? ContinuousClock.now : nil
        if let sentence = round.isTaken, let takenSince, takenSince.duration(to: .now) >= options.greatestPatience {
          for event: WatchEvent<Report> in troubles.note(failure: sentence) { tell(event) }
        }
        let (isFailure, isPartial) = (round.report?.isFailure ?? false, round.report?.isPartial ?? false)
        retry = isFailure || isPartial ? nextRetry(after: retry) : nil
        let goesOn = round.report?.hasPostponed ?? true
        let poll = pollInterval(hearing, round.places ?? [])
        timer.ring(within: goesOn ? options.saveDelay : min(retry ?? poll, poll))
        if isFailure, let retry { timer.hold(for: retry) }
      } catch is CancellationError {
        if Task.isCancelled { return }
        timer.ring(within: pollInterval(nil, []))
      } catch {
        let wait = nextRetry(after: retry)
        timer.hold(for: wait)
        retry = wait
        for event: WatchEvent<Report> in troubles.note(failure: WatchLoop.sentence(error)) { tell(event) }
      }
    }
  }

  private func tellOf(_ report: Report?, _ troubles: inout TroubleBook, _ isFirst: inout Bool) {
    guard let report else { return }
    if isFirst || !report.isUnchanged { tell(.synchronized(report)) }
    isFirst = false
    for event in troubles.note(report) { tell(event) }
  }

  private func nextRetry(after last: Duration?) -> Duration {
    min(last.map { $0 * 2 } ?? options.pollInterval ?? Self.pollWithoutNotice, options.greatestRetryDelay)
  }

  private func pollInterval(_ hearing: FolderNotice.Hearing?, _ places: [URL]) -> Duration {
    if let given = options.pollInterval { return given }
    guard hearing?.isWhole ?? false, let place = places.first, FileSystemKind.isPlainlyLocal(place) else {
      return Self.pollWithoutNotice
    }
    return Self.pollWithNotice
  }

  private static func sentence(_ error: any Error) -> String {
    switch error {
    case let error as SyncError: error.message
    case let error as StoreError: error.message
    default: "\(error)"
    }
  }
}
